//! The OpenAPI document, generated from the table of operations.

use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, PathItem, PathsBuilder,
    Ref, RefOr, Required, Response, ResponseBuilder, Schema,
};

use loci_api::operation::Method;

use super::table::{Described, Form, Schemas};

/// Returns the document as JSON text.
pub(in crate::v1) fn document(described: &[Described]) -> String {
    build(described).to_pretty_json().unwrap_or_default()
}

fn build(described: &[Described]) -> OpenApi {
    let mut paths = PathsBuilder::new();
    let mut schemas = Schemas::new();
    let (_, problem) = content(Form::json::<loci_api::ProblemBody>(), &mut schemas);
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
        paths = paths.path(path, PathItem::new(method, operation(described, &problem, &mut schemas)));
    }
    let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let components = ComponentsBuilder::new().schemas_from_iter(schemas).security_scheme("bearer", bearer);
    let about = "The native API of Loci. Unknown members are refused; `Idempotency-Key` makes creations repeatable; \
                 `Loci-If-Erased: refuse` or `restore` says what becomes of an import of what was erased \
                 here; without configured keys, requests from this machine need no token.";
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
) -> utoipa::openapi::path::Operation {
    let place = described.place;
    let mut operation = OperationBuilder::new().summary(Some(place.summary));
    for parameter in path_parameters(place.path) {
        operation = operation.parameter(parameter);
    }
    if let Form::Query(schema) | Form::JsonAndQuery(_, schema) = &described.request {
        for parameter in query_parameters(&schema()) {
            operation = operation.parameter(parameter);
        }
    }
    if !matches!(described.request, Form::None | Form::Query(_)) {
        let (kind, content) = content(described.request, schemas);
        operation = operation.request_body(Some(RequestBodyBuilder::new().content(kind, content).build()));
    }
    let mut success = ResponseBuilder::new().description("Done.");
    if !matches!(described.answer, Form::None) {
        let (kind, content) = content(described.answer, schemas);
        success = success.content(kind, content);
    }
    let refused: Response = ResponseBuilder::new()
        .description("Refused or failed.")
        .content("application/json", problem.clone())
        .build();
    if matches!(described.answer, Form::Maybe(_)) {
        let nothing = ResponseBuilder::new().description("Nothing to answer.");
        operation = operation.response("204", nothing);
    }
    operation.response(place.status.to_string(), success).response("default", refused).build()
}

/// Returns the media type and the content of a body, and registers its schemas.
fn content(form: Form, schemas: &mut Schemas) -> (&'static str, Content) {
    match form {
        Form::Json(named) | Form::Maybe(named) | Form::JsonAndQuery(named, _) => {
            let schema = Ref::from_schema_name(named(schemas));
            ("application/json", ContentBuilder::new().schema(Some(schema)).build())
        }
        Form::Bytes => {
            let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
            let bytes = ObjectBuilder::new().schema_type(Type::String).format(Some(format)).build();
            ("application/octet-stream", ContentBuilder::new().schema(Some(bytes)).build())
        }
        Form::Lines | Form::None | Form::Query(_) => {
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
            parameter.required(Required::True).schema(Some(text())).build()
        })
        .collect()
}

fn query_parameters(schema: &RefOr<Schema>) -> Vec<Parameter> {
    let RefOr::T(Schema::Object(object)) = schema else { return Vec::new() };
    object
        .properties
        .iter()
        .map(|(name, property)| {
            let required = if object.required.contains(name) { Required::True } else { Required::False };
            let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
            parameter.required(required).schema(Some(property.clone())).build()
        })
        .collect()
}
