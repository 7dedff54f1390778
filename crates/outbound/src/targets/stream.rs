//! Writes a notification to a stream of Kinesis, or of a service with the same protocol: a signed
//! `PutRecord`. Records with the same partition key keep their order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use loci_model::Result;
use loci_model::ports::deliver::Notice;
use serde_json::json;

use super::bucket::sign;
use super::{Target, accepted, partition};
use crate::request::{AddressOrigin, OutboundRequest, Retry, Transport};
use crate::sign_v4::PathRule;

const OPERATION: &str = "Kinesis_20131202.PutRecord";
const TIMEOUT_MS: u64 = 10_000;
/// The maximum length of a partition key, in characters.
const PARTITION_CHARS_MAX: usize = 256;

/// Writes the notification once; the outbox repeats failures, and keeps the order.
pub(super) async fn put(
    transport: &dyn Transport,
    target: &Target,
    stream: &str,
    notice: &Notice,
) -> Result<()> {
    let aws = || format!("https://kinesis.{}.amazonaws.com", target.region);
    let endpoint = target.endpoint.clone().unwrap_or_else(aws);
    let partition: String = partition(notice).chars().take(PARTITION_CHARS_MAX).collect();
    let body = json!({
        "StreamName": stream,
        "Data": STANDARD.encode(notice.body.as_str()),
        "PartitionKey": partition,
    });
    let mut request = OutboundRequest {
        method: Method::POST,
        url: format!("{}/", endpoint.trim_end_matches('/')),
        headers: vec![
            (CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.1")),
            (HeaderName::from_static("x-amz-target"), HeaderValue::from_static(OPERATION)),
        ],
        body: body.to_string().into_bytes(),
        reach: AddressOrigin::Configured,
        retry: Retry::Never,
        timeout_ms: Some(TIMEOUT_MS),
        signing: None,
    };
    sign(target, "kinesis", PathRule::Twice, &mut request, notice.at)?;
    accepted(transport.send(request).await)
}
