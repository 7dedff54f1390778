//! The environment of a foreign client: fake credentials, our endpoints, and nothing of the
//! developer's own AWS configuration. It starts no program.

use std::path::Path;
use std::process::Command;

const REGION: &str = "us-west-2";

/// Removes the AWS and Loci variables of the developer's environment.
pub(super) fn without_own(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("AWS_") || text.starts_with("BEDROCK_") || text.starts_with("LOCI_") {
            command.env_remove(&name);
        }
    }
}

/// Points a client at our server and, if there is one, at the stub for models.
pub(super) fn set(command: &mut Command, home: &Path, loci_url: &str, stub_url: Option<&str>) {
    without_own(command);
    for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "BEDROCK_TEST_REGION"] {
        command.env(name, REGION);
    }
    for name in
        ["AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL", "LOCI_URL"]
    {
        command.env(name, loci_url);
    }
    if let Some(url) = stub_url {
        command.env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url);
    }
    command
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_CONFIG_FILE", home.join("aws-config"))
        .env("AWS_SHARED_CREDENTIALS_FILE", home.join("aws-credentials"))
        .env("NO_PROXY", "127.0.0.1,localhost")
        .env("no_proxy", "127.0.0.1,localhost")
        .env("HOME", home)
        .env("PYTHONUNBUFFERED", "1");
}
