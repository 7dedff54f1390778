//! Sends a notification to a webhook: one POST, signed if the target has a secret. Any 2xx status
//! accepts it.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use loci_model::ports::deliver::Notice;
use loci_model::{Error, Result};

use super::{Target, accepted};
use crate::request::{AddressOrigin, OutboundRequest, Retry, Transport};
use crate::signature::Keys;

/// The timeout in milliseconds. It is short, because the outbox repeats failed deliveries.
const TIMEOUT_MS: u64 = 10_000;

/// Sends the notification once; the outbox repeats failures, and keeps the order.
pub(super) async fn send(
    transport: &dyn Transport,
    url: &str,
    target: &Target,
    reach: AddressOrigin,
    notice: &Notice,
) -> Result<()> {
    let body = notice.body.as_str().as_bytes().to_vec();
    let seconds = notice.at.millis().div_euclid(1000);
    let mut said = vec![
        ("webhook-id", notice.id.as_str().to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("x-loci-event", notice.kind.as_str().to_owned()),
        ("x-loci-attempt", notice.attempt.to_string()),
    ];
    if let Some(secret) = target.secret.get()? {
        let keys = Keys::read(secret).ok_or_else(|| Error::bug("a target's secret that cannot be read"))?;
        said.push(("webhook-signature", keys.sign(notice.id.as_str(), seconds, &body)));
    }
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    for (name, value) in said {
        let value = HeaderValue::from_str(&value)
            .map_err(|_| Error::invalid("delivery", "the id of a notification must fit into a header"))?;
        headers.push((HeaderName::from_static(name), value));
    }
    let request = OutboundRequest {
        method: Method::POST,
        url: url.to_owned(),
        headers,
        body,
        reach,
        retry: Retry::Never,
        timeout_ms: Some(TIMEOUT_MS),
        signing: None,
    };
    accepted(transport.send(request).await)
}
