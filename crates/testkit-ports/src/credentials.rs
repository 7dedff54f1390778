//! Credentials in forty formats, as in logs, configurations and prose: for tests that secrets are
//! stored nowhere. They are composed of parts, so that no scanner reports this file.

/// A credential, and a text that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The format, for test messages, without any part of the secret.
    pub told: &'static str,
    /// The text that contains it.
    pub said: String,
    /// The part that must be found nowhere.
    pub secret: String,
}

/// Returns one credential per format.
pub fn credentials() -> Vec<Credential> {
    let one = |(told, secret): (&'static str, String)| {
        let said =
            if told.contains("{}") { told.replace("{}", &secret) } else { format!("saw {secret} here") };
        // For a key with several lines, the first line of its content.
        let secret = secret.lines().nth(1).unwrap_or(&secret).to_owned();
        Credential { told, said, secret }
    };
    formats().into_iter().map(one).collect()
}

/// Returns the text of each format, with a placeholder if the secret needs a special context, and
/// the secret.
fn formats() -> Vec<(&'static str, String)> {
    let join = |parts: &[&str]| parts.concat();
    // Each one is different, so that a test can identify it.
    let random = |at: usize| {
        let (begin, end) = "kJ8vQ2zLw9Xc5Rt1mN4bH7pA".split_at(at);
        [end, begin].concat()
    };
    let hex40 = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";
    let mut all = vec![
        ("aws", join(&["AKIA", "IOSFODNN7EXAMPLE"])),
        ("aws session", join(&["ASIA", "IOSFODNN7EXAMPLE"])),
        ("github", join(&["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"])),
        ("github oauth", join(&["gho_", "abcdefghijklmnopqrstuvwxyz0123456789"])),
        ("github server", join(&["ghs_", "abcdefghijklmnopqrstuvwxyz0123456789"])),
        ("gitlab", join(&["glpat-", "abcdefghij0123456789"])),
        ("slack bot", join(&["xoxb-", "1234567890-abcdefghij"])),
        ("slack user", join(&["xoxp-", "1234567890-abcdefghij"])),
        ("anthropic", join(&["sk-ant-", "api03-0123456789abcdef0123"])),
        ("google", join(&["AIza", "SyA1234567890abcdefghijklmnopqrstuv"])),
        ("stripe", join(&["sk_live_", "0123456789abcdefghij"])),
        ("npm", join(&["npm_", "abcdefghijklmnopqrstuvwxyz0123456789"])),
        (
            "jwt",
            join(&[
                "eyJhbGciOiJIUzI1NiJ9",
                ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
            ]),
        ),
    ];
    all.extend([
        ("password: {}", random(1)),
        ("password={}", random(2)),
        ("\"password\": \"{}\"", random(3)),
        ("secret = '{}'", random(4)),
        ("client_secret: \"{}\"", random(5)),
        ("token: {}", random(6)),
        ("access_token={}", random(7)),
        ("api_key: {}", random(8)),
        ("apiKey={}", random(9)),
        ("DB_PASSWORD={}", random(10)),
        ("export SECRET_TOKEN={}", random(11)),
        ("--password={}", random(12)),
        ("Authorization: Bearer {}", hex40.to_owned()),
        ("curl -H 'Authorization: Bearer {}' https://a", random(13)),
        ("authorization: Basic {}", join(&["dXNlcjpw", "YXNzd29yZA=="])),
        ("AWS_SECRET_ACCESS_KEY={}", join(&["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"])),
        ("AccountName=x;AccountKey={}", join(&["0123456789abcdefghijklmnop", "qrstuvwxyzABCDEFGHIJ=="])),
        ("postgres://loci:{}@db/x", "hunter2".to_owned()),
        ("mysql://root:{}@db:3306/x", "p/ass123".to_owned()),
        ("redis://:{}@cache:6379/0", "s3cr3t".to_owned()),
        ("amqp://user:{}@mq", "hunter2x".to_owned()),
        ("mongodb+srv://app:{}@cluster0.example.net", "Tr0ub4dor".to_owned()),
        ("https://user:{}@git.example.com/a.git", "s3cr3tpw".to_owned()),
        ("Server=db;User Id=sa;Password={};Encrypt=true", "S3cret!x".to_owned()),
        ("https://hooks.slack.com/services/{}", join(&["T0000000", "/B0000000/abcdefghijklmnop1234"])),
    ]);
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    for kind in ["", "RSA "] {
        let (begin, end) =
            (["-----BEGIN ", kind, "PRIVATE "].concat(), ["-----END ", kind, "PRIVATE "].concat());
        all.push(("pem", [&begin, "KEY-----\n", line, "\n", &end, "KEY-----"].concat()));
    }
    all
}
