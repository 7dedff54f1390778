//! Finds the operation of a request from its raw path: split on `/`, each segment percent-decoded
//! separately, nothing normalised. It validates no id; `constraints` does that.

use percent_encoding::percent_decode_str;

/// The operations of both planes and of the tags endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// `POST /memories/create`.
    CreateMemory,
    /// `GET /memories/{memoryId}/details`.
    GetMemory,
    /// `POST /memories/`.
    ListMemories,
    /// `PUT /memories/{memoryId}/update`.
    UpdateMemory,
    /// `DELETE /memories/{memoryId}/delete`.
    DeleteMemory,
    /// `POST /memories/{memoryId}/events`.
    CreateEvent,
    /// `GET /memories/{memoryId}/actor/{actorId}/sessions/{sessionId}/events/{eventId}`.
    GetEvent,
    /// `POST /memories/{memoryId}/actor/{actorId}/sessions/{sessionId}`.
    ListEvents,
    /// `DELETE` of the path of `GetEvent`.
    DeleteEvent,
    /// `POST /memories/{memoryId}/actors`.
    ListActors,
    /// `POST /memories/{memoryId}/actor/{actorId}/sessions`.
    ListSessions,
    /// `POST /memories/{memoryId}/retrieve`.
    RetrieveMemoryRecords,
    /// `POST /memories/{memoryId}/memoryRecords`.
    ListMemoryRecords,
    /// `GET /memories/{memoryId}/memoryRecord/{memoryRecordId}`.
    GetMemoryRecord,
    /// `DELETE /memories/{memoryId}/memoryRecords/{memoryRecordId}`.
    DeleteMemoryRecord,
    /// `POST /memories/{memoryId}/memoryRecords/batchCreate`.
    BatchCreateMemoryRecords,
    /// `POST /memories/{memoryId}/memoryRecords/batchUpdate`.
    BatchUpdateMemoryRecords,
    /// `POST /memories/{memoryId}/memoryRecords/batchDelete`.
    BatchDeleteMemoryRecords,
    /// `POST /memories/{memoryId}/ingest`.
    IngestData,
    /// `POST /memories/{memoryId}/extractionJobs`.
    ListMemoryExtractionJobs,
    /// `POST /memories/{memoryId}/extractionJobs/start`.
    StartMemoryExtractionJob,
    /// `POST /tags/{resourceArn}`.
    TagResource,
    /// `DELETE /tags/{resourceArn}?tagKeys=…`.
    UntagResource,
    /// `GET /tags/{resourceArn}`.
    ListTagsForResource,
}

/// A row of the table: operation, method, path. `{name}` stands for one whole segment.
type RouteRow = (Operation, &'static str, &'static str);

/// Every path of the API, once. `/memories` is accepted as well as `/memories/`.
const ROUTES: [RouteRow; 25] = [
    (Operation::CreateMemory, "POST", "/memories/create"),
    (Operation::GetMemory, "GET", "/memories/{memoryId}/details"),
    (Operation::ListMemories, "POST", "/memories/"),
    (Operation::ListMemories, "POST", "/memories"),
    (Operation::UpdateMemory, "PUT", "/memories/{memoryId}/update"),
    (Operation::DeleteMemory, "DELETE", "/memories/{memoryId}/delete"),
    (Operation::CreateEvent, "POST", "/memories/{memoryId}/events"),
    (
        Operation::GetEvent,
        "GET",
        "/memories/{memoryId}/actor/{actorId}/sessions/{sessionId}/events/{eventId}",
    ),
    (Operation::ListEvents, "POST", "/memories/{memoryId}/actor/{actorId}/sessions/{sessionId}"),
    (
        Operation::DeleteEvent,
        "DELETE",
        "/memories/{memoryId}/actor/{actorId}/sessions/{sessionId}/events/{eventId}",
    ),
    (Operation::ListActors, "POST", "/memories/{memoryId}/actors"),
    (Operation::ListSessions, "POST", "/memories/{memoryId}/actor/{actorId}/sessions"),
    (Operation::RetrieveMemoryRecords, "POST", "/memories/{memoryId}/retrieve"),
    (Operation::ListMemoryRecords, "POST", "/memories/{memoryId}/memoryRecords"),
    (Operation::GetMemoryRecord, "GET", "/memories/{memoryId}/memoryRecord/{memoryRecordId}"),
    (Operation::DeleteMemoryRecord, "DELETE", "/memories/{memoryId}/memoryRecords/{memoryRecordId}"),
    (Operation::BatchCreateMemoryRecords, "POST", "/memories/{memoryId}/memoryRecords/batchCreate"),
    (Operation::BatchUpdateMemoryRecords, "POST", "/memories/{memoryId}/memoryRecords/batchUpdate"),
    (Operation::BatchDeleteMemoryRecords, "POST", "/memories/{memoryId}/memoryRecords/batchDelete"),
    (Operation::IngestData, "POST", "/memories/{memoryId}/ingest"),
    (Operation::ListMemoryExtractionJobs, "POST", "/memories/{memoryId}/extractionJobs"),
    (Operation::StartMemoryExtractionJob, "POST", "/memories/{memoryId}/extractionJobs/start"),
    (Operation::TagResource, "POST", "/tags/{resourceArn}"),
    (Operation::UntagResource, "DELETE", "/tags/{resourceArn}"),
    (Operation::ListTagsForResource, "GET", "/tags/{resourceArn}"),
];

impl Operation {
    /// Returns every operation, in the table's order.
    pub fn all() -> impl Iterator<Item = Self> {
        let mut last = None;
        ROUTES.iter().filter_map(move |(operation, _, _)| {
            let first = last != Some(*operation);
            last = Some(*operation);
            first.then_some(*operation)
        })
    }

    /// Returns the operation's name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateMemory => "CreateMemory",
            Self::GetMemory => "GetMemory",
            Self::ListMemories => "ListMemories",
            Self::UpdateMemory => "UpdateMemory",
            Self::DeleteMemory => "DeleteMemory",
            Self::CreateEvent => "CreateEvent",
            Self::GetEvent => "GetEvent",
            Self::ListEvents => "ListEvents",
            Self::DeleteEvent => "DeleteEvent",
            Self::ListActors => "ListActors",
            Self::ListSessions => "ListSessions",
            Self::RetrieveMemoryRecords => "RetrieveMemoryRecords",
            Self::ListMemoryRecords => "ListMemoryRecords",
            Self::GetMemoryRecord => "GetMemoryRecord",
            Self::DeleteMemoryRecord => "DeleteMemoryRecord",
            Self::BatchCreateMemoryRecords => "BatchCreateMemoryRecords",
            Self::BatchUpdateMemoryRecords => "BatchUpdateMemoryRecords",
            Self::BatchDeleteMemoryRecords => "BatchDeleteMemoryRecords",
            Self::IngestData => "IngestData",
            Self::ListMemoryExtractionJobs => "ListMemoryExtractionJobs",
            Self::StartMemoryExtractionJob => "StartMemoryExtractionJob",
            Self::TagResource => "TagResource",
            Self::UntagResource => "UntagResource",
            Self::ListTagsForResource => "ListTagsForResource",
        }
    }

    /// Returns true for a tags endpoint, whose error names differ.
    pub fn is_tags(self) -> bool {
        matches!(self, Self::TagResource | Self::UntagResource | Self::ListTagsForResource)
    }
}

/// The operation of a request, with the decoded members of its path and its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The requested operation.
    pub operation: Operation,
    /// Path members by their API name, decoded.
    pub path: Vec<(&'static str, String)>,
    /// Query members in order, decoded; names may repeat.
    pub query: Vec<(String, String)>,
}

impl Route {
    /// Returns a path member. It is empty if the operation has none of that name; the validation
    /// then rejects it.
    pub fn member(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// Returns the first query member of that name. An empty value counts as given.
    pub fn query_member(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The reason for which no operation was found for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoute {
    /// No operation has this path and method: 404 `UnknownOperationException`.
    Unknown,
    /// A segment or query member does not decode to UTF-8 text: 400 `ValidationException`.
    NotText,
}

/// Finds the operation for a method, raw path and raw query. `base_path` is the configured prefix
/// of the endpoint, empty or like `/base`; a request outside of it has no route.
pub fn route(base_path: &str, method: &str, raw_path: &str, raw_query: &str) -> Result<Route, NoRoute> {
    let path = raw_path.strip_prefix(base_path.trim_end_matches('/')).ok_or(NoRoute::Unknown)?;
    let segments: Vec<&str> = path.split('/').collect();
    for (operation, known_method, pattern) in &ROUTES {
        if *known_method != method {
            continue;
        }
        if let Some(captured) = captures(pattern, &segments) {
            let path = captured
                .into_iter()
                .map(|(name, raw)| Ok((name, decode(raw)?)))
                .collect::<Result<Vec<_>, NoRoute>>()?;
            return Ok(Route { operation: *operation, path, query: query_members(raw_query)? });
        }
    }
    Err(NoRoute::Unknown)
}

/// Returns the `{…}` segments of `pattern` in `segments`, if all others agree. A literal is
/// compared decoded, and an empty segment never fills a `{…}`. A literal of another row (`create`,
/// `batchCreate`) takes precedence, because no id has that form.
fn captures<'r>(pattern: &'static str, segments: &[&'r str]) -> Option<Vec<(&'static str, &'r str)>> {
    let mut captured = Vec::new();
    let mut rest = segments.iter();
    for part in pattern.split('/') {
        let segment = rest.next()?;
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) if !segment.is_empty() => captured.push((name, *segment)),
            Some(_) => return None,
            None if percent_decode_str(segment).eq(part.bytes()) => {}
            None => return None,
        }
    }
    rest.next().is_none().then_some(captured)
}

fn query_members(raw: &str) -> Result<Vec<(String, String)>, NoRoute> {
    raw.split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

fn decode(raw: &str) -> Result<String, NoRoute> {
    percent_decode_str(raw).decode_utf8().map(|text| text.into_owned()).map_err(|_| NoRoute::NotText)
}

#[cfg(test)]
mod tests {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    use super::*;

    fn find(method: &str, path: &str) -> Result<Route, NoRoute> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        route("", method, path, query)
    }

    #[test]
    fn every_operation_has_its_path() {
        for (method, path, expect) in [
            ("POST", "/memories/create", "CreateMemory"),
            ("GET", "/memories/m-abcdefghij/details?view=full", "GetMemory"),
            ("POST", "/memories/", "ListMemories"),
            ("POST", "/memories", "ListMemories"),
            ("PUT", "/memories/m-abcdefghij/update", "UpdateMemory"),
            ("DELETE", "/memories/m-abcdefghij/delete?clientToken=x", "DeleteMemory"),
            ("POST", "/memories/m/events", "CreateEvent"),
            ("GET", "/memories/m/actor/a/sessions/s/events/e", "GetEvent"),
            ("POST", "/memories/m/actor/a/sessions/s", "ListEvents"),
            ("DELETE", "/memories/m/actor/a/sessions/s/events/e", "DeleteEvent"),
            ("POST", "/memories/m/actors", "ListActors"),
            ("POST", "/memories/m/actor/a/sessions", "ListSessions"),
            ("POST", "/memories/m/retrieve", "RetrieveMemoryRecords"),
            ("POST", "/memories/m/memoryRecords", "ListMemoryRecords"),
            ("GET", "/memories/m/memoryRecord/mem-1?namespace=%2Fa%2Fb%2F", "GetMemoryRecord"),
            ("DELETE", "/memories/m/memoryRecords/mem-1", "DeleteMemoryRecord"),
            ("POST", "/memories/m/memoryRecords/batchCreate", "BatchCreateMemoryRecords"),
            ("POST", "/memories/m/memoryRecords/batchUpdate", "BatchUpdateMemoryRecords"),
            ("POST", "/memories/m/memoryRecords/batchDelete", "BatchDeleteMemoryRecords"),
            ("POST", "/memories/m/ingest", "IngestData"),
            ("POST", "/memories/m/extractionJobs", "ListMemoryExtractionJobs"),
            ("POST", "/memories/m/extractionJobs/start", "StartMemoryExtractionJob"),
            ("POST", "/tags/arn%3Aaws%3Ax%2Fy", "TagResource"),
            ("DELETE", "/tags/arn?tagKeys=a&tagKeys=b", "UntagResource"),
            ("GET", "/tags/arn", "ListTagsForResource"),
        ] {
            assert_eq!(find(method, path).unwrap().operation.name(), expect, "{method} {path}");
        }
        assert_eq!(Operation::all().count(), 24);
    }

    #[test]
    fn everything_else_is_unknown() {
        for (method, path) in [
            ("GET", "/memories/"),
            ("GET", "/memories/create"),
            ("POST", "/memories/create/"),
            ("POST", "/memories//"),
            ("POST", "//memories"),
            ("POST", "/memories//events"),
            ("POST", "/memories/m/../n/events"),
            ("GET", "/memories/m/memoryRecords/mem-1"),
            ("DELETE", "/memories/m/memoryRecord/mem-1"),
            ("POST", "/memories/m/actors/"),
            ("PUT", "/resourcepolicy/arn"),
            ("POST", "/"),
            ("POST", ""),
            ("post", "/memories"),
        ] {
            assert_eq!(find(method, path), Err(NoRoute::Unknown), "{method} {path}");
        }
    }

    #[test]
    fn members_are_decoded_segment_by_segment() {
        let found = find("GET", "/memories/m-abcdefghij/actor/org%2Fuser%3A1/sessions/%2E%2E/events/17%2397")
            .unwrap();
        assert_eq!(found.member("actorId"), "org/user:1");
        assert_eq!(found.member("sessionId"), "..");
        assert_eq!(found.member("eventId"), "17#97");
        let found = find("DELETE", "/tags/arn?tagKeys=a%20b&x&tagKeys=%C3%A9").unwrap();
        let expect = [("tagKeys", "a b"), ("x", ""), ("tagKeys", "é")];
        assert!(found.query.iter().map(|(n, v)| (n.as_str(), v.as_str())).eq(expect));
        assert_eq!(find("POST", "/memories/%ff/events"), Err(NoRoute::NotText));
        assert_eq!(find("GET", "/tags/a?x=%ff"), Err(NoRoute::NotText));
    }

    #[test]
    fn a_base_path_is_required_once_configured() {
        for (base, path, good) in [
            ("/base", "/base/memories", true),
            ("/base/", "/base/memories/", true),
            ("/base", "/memories", false),
            ("/base", "/basememories", false),
            ("", "/base/memories", false),
        ] {
            assert_eq!(route(base, "POST", path, "").is_ok(), good, "{base} {path}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_paths_never_panic(method in "GET|POST|PUT|DELETE", path in "(/|%|[a-z]|memories|events|\\PC){0,20}", query in "\\PC{0,30}") {
            let _ = route("", &method, &path, &query);
        }

        #[test]
        fn any_id_comes_back_as_it_was(actor in "\\PC{1,40}", session in "[^\u{0}]{1,20}") {
            let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
            let path = format!("/memories/m/actor/{}/sessions/{}", encode(&actor), encode(&session));
            let found = route("", "POST", &path, "").unwrap();
            prop_assert_eq!(found.operation, Operation::ListEvents);
            prop_assert_eq!(found.member("actorId"), actor);
            prop_assert_eq!(found.member("sessionId"), session);
        }
    }
}
