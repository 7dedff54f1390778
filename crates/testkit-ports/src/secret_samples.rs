//! A secret of every masked kind, each in a typical sentence of an agent: for tests that secrets
//! are stored nowhere. They are composed of parts, so that no scanner reports this file.

/// A sentence with a secret, the part that must be found nowhere, and the name of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSample {
    /// The name of its kind.
    pub kind: &'static str,
    /// The sentence.
    pub said: String,
    /// The secret.
    pub secret: String,
}

/// Returns one sample per kind.
pub fn secrets() -> Vec<SecretSample> {
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let (begin, end) = ("-----BEGIN PRIVATE ", "\n-----END PRIVATE ");
    let pem = [begin, "KEY-----\n", key, end, "KEY-----"].concat();
    vec![
        sample("private_key", "The key is ", &[&pem], key),
        sample("aws_access_key", "It signs as ", &["AKIA", "IOSFODNN7EXAMPLE"], ""),
        sample(
            "aws_secret_key",
            "AWS_SECRET_ACCESS_KEY=",
            &["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"],
            "",
        ),
        sample("github_token", "Push with ", &["ghp_abcdefghijklmnop", "qrstuvwxyz0123456789"], ""),
        sample("gitlab_token", "Clone with ", &["glpat-abcdefghij", "0123456789"], ""),
        sample("slack_token", "Post with ", &["xoxb-1234567890", "-abcdef"], ""),
        sample(
            "jwt",
            "Sent was ",
            &[
                "eyJhbGciOiJIUzI1NiJ9",
                ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
            ],
            "",
        ),
        sample(
            "authorization_header",
            "Authorization: Bearer ",
            &["abcdef0123456789", "abcdef0123456789"],
            "",
        ),
        sample("llm_api_key", "Asked with ", &["sk-ant-", "api03-0123456789abcdef0123"], ""),
        sample("google_api_key", "Maps take ", &["AIza", "SyA1234567890abcdefghijklmnopqrstuv"], ""),
        sample("stripe_key", "Charged by ", &["sk_live_", "0123456789abcdefghij"], ""),
        sample("npm_token", "Published with ", &["npm_", "abcdefghijklmnopqrstuvwxyz0123456789"], ""),
        sample(
            "azure_key",
            "AccountName=x;AccountKey=",
            &["0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ", "=="],
            "",
        ),
        sample("connection_string", "It is postgres://loci:", &["hunter", "2@db/x"], "hunter2"),
        sample(
            "assigned_secret",
            "client_secret: \"",
            &["kJ8vQ2zLw9", "Xc5Rt1mN4bH7pA", "\""],
            "kJ8vQ2zLw9Xc5Rt1mN4bH7pA",
        ),
    ]
}

/// Returns a sample. `core` is the secret within the parts; all of them if it is empty.
fn sample(kind: &'static str, before: &str, parts: &[&str], core: &str) -> SecretSample {
    let all = parts.concat();
    let secret = if core.is_empty() { all.clone() } else { core.to_owned() };
    SecretSample { kind, said: format!("{before}{all}"), secret }
}
