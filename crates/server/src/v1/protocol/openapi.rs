//! The OpenAPI document, generated from the table of operations.

use std::collections::BTreeMap;

use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, PathsBuilder,
    Ref, RefOr, Required, Response, ResponseBuilder, Schema,
};

use loci_api::operation::Method;
use loci_api::operation::examples::{Example, examples};
use serde_json::{Value, json};

use super::table::{Described, SchemaForm, Schemas};

const JSON: &str = "application/json";
const ERROR: &str = "Error. `code` is for programs; `message` names the rule and the remedy; \
                     `retryable` is true if the same request may succeed later.";

/// Returns the document as JSON text.
pub(in crate::v1) fn document(described: &[Described]) -> String {
    build(described).to_pretty_json().unwrap_or_default()
}

fn build(described: &[Described]) -> OpenApi {
    let mut paths = PathsBuilder::new();
    let mut schemas = Schemas::new();
    let (_, mut problem) = content(SchemaForm::json::<loci_api::ProblemBody>(), &mut schemas);
    problem.example = Some(problem_example());
    let examples: BTreeMap<String, Example> =
        examples().map(|example| (example.operation.clone(), example)).collect();
    for described in described {
        let method = match described.place.method {
            Method::Get => HttpMethod::Get,
            Method::Post => HttpMethod::Post,
            Method::Put => HttpMethod::Put,
            Method::Patch => HttpMethod::Patch,
            Method::Delete => HttpMethod::Delete,
        };
        // In the document, a parameter for the rest of the path is like any other.
        let path = described.place.path.replace("{*", "{");
        let example = examples.get(&described.place.name());
        paths =
            paths.path(path, PathItem::new(method, operation(described, &problem, &mut schemas, example)));
    }
    let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let components = ComponentsBuilder::new().schemas_from_iter(schemas).security_scheme("bearer", bearer);
    let about = "The native API of Loci. The server rejects unknown members. Times are RFC 3339 in UTC. \
                 `Idempotency-Key` makes creations repeatable. `Loci-If-Erased: refuse` or `restore` \
                 controls how an import treats content that was erased here. Without configured keys, \
                 requests from this machine need no token.";
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Loci").version(env!("CARGO_PKG_VERSION")).description(Some(about)))
        .paths(paths)
        .components(Some(components.build()))
        .security(Some([SecurityRequirement::new("bearer", Vec::<String>::new())]))
        .build()
}

fn operation(
    described: &Described,
    problem: &Content,
    schemas: &mut Schemas,
    example: Option<&Example>,
) -> utoipa::openapi::path::Operation {
    let place = described.place;
    let request_example = example.and_then(|example| example.request.as_ref());
    let mut operation = OperationBuilder::new().operation_id(Some(place.name())).summary(Some(place.summary));
    for parameter in path_parameters(place.path) {
        operation = operation.parameter(parameter);
    }
    if let SchemaForm::Query(schema) | SchemaForm::JsonAndQuery(_, schema) = &described.request {
        for parameter in query_parameters(&schema(), request_example) {
            operation = operation.parameter(parameter);
        }
    }
    if !matches!(described.request, SchemaForm::None | SchemaForm::Query(_)) {
        let (kind, mut content) = content(described.request, schemas);
        if kind == JSON {
            content.example = request_example.cloned();
        }
        operation = operation.request_body(Some(RequestBodyBuilder::new().content(kind, content).build()));
    }
    let mut success = ResponseBuilder::new().description("Success.");
    if !matches!(described.answer, SchemaForm::None) {
        let (kind, mut content) = content(described.answer, schemas);
        if kind == JSON {
            content.example = example.and_then(|example| example.response.clone());
        }
        success = success.content(kind, content);
    }
    let refused: Response = ResponseBuilder::new().description(ERROR).content(JSON, problem.clone()).build();
    if matches!(described.answer, SchemaForm::Maybe(_)) {
        let nothing = ResponseBuilder::new().description("Success without a result.");
        operation = operation.response("204", nothing);
    }
    operation.response(place.status.to_string(), success).response("default", refused).build()
}

/// Returns the media type and the content of a body, and registers its schemas.
fn content(form: SchemaForm, schemas: &mut Schemas) -> (&'static str, Content) {
    match form {
        SchemaForm::Json(named) | SchemaForm::Maybe(named) | SchemaForm::JsonAndQuery(named, _) => {
            let schema = Ref::from_schema_name(named(schemas));
            (JSON, ContentBuilder::new().schema(Some(schema)).build())
        }
        SchemaForm::Bytes => {
            let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
            let bytes = ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build();
            ("application/octet-stream", ContentBuilder::new().schema(Some(bytes)).build())
        }
        SchemaForm::Lines | SchemaForm::None | SchemaForm::Query(_) => {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            ("application/x-ndjson", ContentBuilder::new().schema(Some(text)).build())
        }
    }
}

fn path_parameters(path: &str) -> Vec<Parameter> {
    let names = path.split('/').filter_map(|segment| {
        let (name, _) = segment.strip_prefix('{')?.split_once('}')?;
        Some(name.trim_start_matches('*'))
    });
    let text = || ObjectBuilder::new().schema_type(Type::String).build();
    names
        .map(|name| {
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path);
            let parameter = parameter.description(path_description(path, name));
            parameter.required(Required::True).schema(Some(text())).build()
        })
        .collect()
}

fn query_parameters(schema: &RefOr<Schema>, example: Option<&Value>) -> Vec<Parameter> {
    let RefOr::T(Schema::Object(object)) = schema else { return Vec::new() };
    object
        .properties
        .iter()
        .map(|(name, property)| {
            let required = if object.required.contains(name) { Required::True } else { Required::False };
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
            let value = example.and_then(|example| example.get(name)).cloned();
            let parameter = parameter.description(member_description(property)).example(value);
            parameter.required(required).schema(Some(property.clone())).build()
        })
        .collect()
}

/// Returns the description of a member. An optional member of a named type has it one level down.
fn member_description(property: &RefOr<Schema>) -> Option<String> {
    let schema = serde_json::to_value(property).ok()?;
    let forms = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let description = std::iter::once(&schema).chain(forms).find_map(|form| form.get("description"))?;
    description.as_str().map(str::to_owned)
}

fn problem_example() -> Value {
    json!({ "error": {
        "code": "INVALID",
        "message": "top_k must be from 1 to 100",
        "field": "top_k",
        "retryable": false,
    } })
}

/// Returns the description of a path parameter, if it is known.
fn path_description(path: &str, name: &str) -> Option<&'static str> {
    let description = match name {
        "actor" => "Id of the actor.",
        "conflict" => "Id of the conflict.",
        "delivery" => "Id of the notification.",
        "event" => "Id of the event.",
        "exposure" => "Id of the exposure.",
        "guid" => "Id of the webhook delivery.",
        "incident" => "Id of the investigation.",
        "job" => "Id of the job.",
        "key" if path.contains("/keys/") => "Id of the key.",
        "key" => "Key of the object; may contain slashes.",
        "letter" => "Id of the failed write.",
        "memory" => "Id or name of the memory.",
        "mirror" => "Id of the mirror.",
        "name" if path.contains("/tools/") => "Name of the tool, with underscores or dots.",
        "name" => "Name of the repository.",
        "owner" => "Owner of the repository.",
        "path" => "Path of the document; may contain slashes.",
        "pr" => "Number of the pull request.",
        "preference" => "Id of the preference.",
        "profile" => "Name of the profile.",
        "prompt" if path.contains("/extraction-prompts/") => {
            "Name of the extraction prompt, or name and version as in `learnings@1`."
        }
        "prompt" if path.ends_with("/diff") => "Two versions of the prompt, as `A..B`.",
        "prompt" if path.ends_with("/rollback") => "Template of the prompt.",
        "prompt" => "Version of the prompt.",
        "record" => "Id of the record.",
        "rule" => "Id of the rule.",
        "run" => "Id of the consolidation run.",
        "session" => "Id of the session.",
        "strategy" => "Id of the strategy.",
        "task" => "Id of the task.",
        "theme" => "Id of the theme.",
        "user" => "Name of the user.",
        _ => return None,
    };
    Some(description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_parameter_has_a_description() {
        for place in loci_api::operation::places() {
            for parameter in path_parameters(place.path) {
                let description = parameter.description.unwrap_or_default();
                assert!(description.ends_with('.'), "{}: {}", place.path, parameter.name);
            }
        }
    }

    #[test]
    fn the_example_of_an_error_has_its_type() {
        let problem: loci_api::ProblemBody = serde_json::from_value(problem_example()).unwrap();
        assert!(problem.error.error_code().is_some());
        assert_eq!(serde_json::to_value(problem).unwrap(), problem_example());
    }
}
