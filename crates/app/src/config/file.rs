//! Reads a configuration: the file, the environment, and the check that each key is known.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail};
use loci_model::limits;
use loci_server::secret_file;
use toml::Table;

use super::environment::Environment;
use super::{Config, default_paths};
use crate::input::{file_text, is_null_device};

/// Loads the configuration. A `named` file must exist, the user's file may be missing.
///
/// # Errors
/// A file cannot be read or parsed, a key is unknown, or a value has the wrong type. Each error
/// names the place.
pub fn load(named: Option<&Path>, environment: &Environment) -> Result<Config> {
    let named = named.map(Path::to_owned).or_else(|| environment.get("LOCI_CONFIG").map(Into::into));
    let is_named = named.is_some();
    let path = named.or_else(|| default_paths::user_file(environment));
    let mut table = match &path {
        Some(path) if is_named => {
            read(path)?.with_context(|| format!("there is no file {}", path.display()))?
        }
        Some(path) => read(path)?.unwrap_or_default(),
        None => Table::new(),
    };
    let fault = path.and_then(|path| {
        let about = std::fs::metadata(&path).ok()?;
        secret_file::fault(&path.display().to_string(), &about)
    });
    let without_effect = environment.apply(&mut table)?;
    let mut config: Config = loci_json::strict(table).context("the configuration does not hold")?;
    config.variables_without_effect = without_effect;
    config.secret_file_fault = fault.filter(|_| config.names_secret_addresses());
    check(&config)?;
    Ok(config)
}

fn read(path: &Path) -> Result<Option<Table>> {
    if is_null_device(path) {
        return Ok(Some(Table::new()));
    }
    match file_text(path) {
        Ok(text) => {
            let table = text.parse::<Table>().with_context(|| format!("reading {}", path.display()))?;
            Ok(Some(table))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

fn check(config: &Config) -> Result<()> {
    if config.aws.account.len() != 12 || !config.aws.account.bytes().all(|byte| byte.is_ascii_digit()) {
        bail!("aws.account must be twelve digits");
    }
    if config.server.tls_cert.is_some() != config.server.tls_key.is_some() {
        bail!("server.tls_cert and server.tls_key belong together: give both or none");
    }
    let range = limits::STOP_MS_MAX;
    if !range.contains(&config.server.stop_ms_max) {
        bail!("server.stop_ms_max must be {} to {} milliseconds", range.start(), range.end());
    }
    config.check_sections()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str, pairs: &[(&str, &str)]) -> Result<Config> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text)?;
        load(Some(&path), &Environment::of(pairs))
    }

    #[test]
    fn a_pipe_is_no_configuration_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (told, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let error = load(Some(&path), &Environment::default()).unwrap_err();
            told.send(format!("{error:#}")).unwrap();
        });
        let error = heard.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        assert!(error.contains("not a regular file") && error.contains("config.toml"), "{error}");
    }

    #[test]
    fn the_null_device_is_an_empty_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("config.toml");
        let device = Path::new("/dev/null");
        std::os::unix::fs::symlink(device, &link).unwrap();
        let region = |path: &Path| load(Some(path), &Environment::default()).unwrap().aws.region;
        let default = Config::default().aws.region;
        assert_eq!([region(device), region(&link)], [default.clone(), default]);
    }

    #[test]
    fn file_then_environment() {
        let text = "[server]\nlisten = \"127.0.0.1:9000\"\n[aws]\nregion = \"eu-west-1\"\n[[memory]]\nname = \"m\"\nprofile = \"coding\"\n";
        let config =
            load_text(text, &[("LOCI_AWS_REGION", "us-east-1"), ("LOCI_EXTRACTION_SYNC", "true")]).unwrap();
        assert_eq!(config.server.listen.port(), 9000);
        assert_eq!(config.aws.region, "us-east-1");
        assert!(config.extraction.sync);
        assert_eq!(config.engine().unwrap().memory_matches.len(), 1);
        assert_eq!(load_text("", &[]).unwrap(), Config::default());
        let account = load_text("", &[("LOCI_AWS_ACCOUNT", "012345678901")]).unwrap();
        assert_eq!(account.aws.account, "012345678901");
        let threads = load_text("", &[("LOCI_EXTRACTION_EMBED_THREADS", "3")]).unwrap();
        assert_eq!(threads.extraction.embed_threads, std::num::NonZero::new(3));
    }

    #[test]
    fn a_memory_of_operations_agents_is_set_whole() {
        let text = r#"
            [[memory]]
            name = "sre_agent_memory"
            description = "what our agents learn"
            profile = "sre"
            enabled = false
            auto_capture_preferences = false
            auto_generate_summaries = true

            [[memory.strategy]]
            name = "infrastructure_knowledge"
            ttl = "20d"
            ttl_confirmed = "500d"

            [memory.sre]
            auto_generate_summaries = false
        "#;
        let settings = load_text(text, &[]).unwrap().loci().unwrap().operations;
        let own = &settings.named["sre_agent_memory"];
        assert_eq!(
            (own.enabled, own.auto_capture_preferences, own.auto_generate_summaries),
            (false, false, false)
        );
        assert_eq!(own.description.as_deref(), Some("what our agents learn"));
        assert_eq!(
            (own.infrastructure.ttl_days, own.infrastructure.ttl_confirmed_days),
            (Some(20), Some(500))
        );
        let coding = "[[memory]]\nname = \"m\"\nprofile = \"coding\"\nenabled = false\n";
        let error = format!("{:#}", load_text(coding, &[]).unwrap_err());
        assert!(error.contains("profile sre"), "{error}");
    }

    #[test]
    fn what_is_unknown_is_named() {
        let check = |text: &str, pairs: &[(&str, &str)], part: &str| {
            let error = format!("{:#}", load_text(text, pairs).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        check("[server]\nlissen = \"x\"\n", &[], "lissen");
        check("[serve]\n", &[], "serve");
        check("[server]\nstop_ms_max = 999\n", &[], "1000 to 600000");
        check("[server]\nstop_ms_max = 600001\n", &[], "1000 to 600000");
        check("", &[("LOCI_SERVER_LISSEN", "x")], "lissen");
        check("", &[("LOCI_SERVER_LISSEN", "x")], "LOCI_SERVER_LISSEN");
        check("", &[("LOCI_CODING_SHARES_RULEZ", "3")], "unknown field `rulez`");
        check("", &[("LOCI_VERIFIED_THREADS", "many")], "LOCI_VERIFIED_THREADS, which sets verified.threads");
        check("[aws]\naccount = \"1\"\n", &[], "twelve digits");
        check("[server]\ntls_cert = \"a.pem\"\n", &[], "tls_key");
        check("[compat]\nevent_limits = \"loud\"\n", &[], "event_limits");
        check("[extraction]\nembed_threads = 0\n", &[], "embed_threads");
        check("[safety]\nsecrets = \"loud\"\n", &[], "secrets");
    }

    #[test]
    fn secrets_can_be_masked() {
        let masked = load_text("", &[("LOCI_SAFETY_SECRETS", "mask")]).unwrap();
        assert_eq!(masked.engine().unwrap().redaction, loci_model::memory::settings::SecretsMode::Mask);
    }

    /// Unsupported settings are rejected, not ignored.
    #[test]
    fn what_has_no_effect_is_refused() {
        let check = |text: &str, part: &str| {
            let error = format!("{:#}", load_text(text, &[]).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        check("[embedding]\nprevious = \"built-in\"\n", "embedding.previous");
        check("[telemetry]\ncapture_content = true\n", "telemetry.otlp_endpoint");
    }

    #[test]
    fn who_reads_and_how_much_at_once() {
        let model =
            |name: &str| format!("[[model]]\nname = \"{name}\"\nprotocol = \"openai\"\nmodel = \"x\"\n");
        let check = |text: String, part: &str| {
            let error = format!("{:#}", load_text(&text, &[]).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        let provider = "[llm]\nmode = \"provider\"\n";
        check(provider.to_owned(), "no [[model]]");
        check(format!("{provider}{}{}", model("a"), model("b")), "llm.model");
        assert!(load_text(&format!("{provider}{}", model("a")), &[]).is_ok());
        assert!(load_text("", &[("LOCI_LLM_MODE", "pull")]).is_ok());
        let consolidation = |line: &str| format!("[consolidation]\n{line}\n");
        check(consolidation("changes_min = 0"), "consolidation.changes_min");
        check(consolidation("cron = \"0 3 * *\""), "consolidation.cron");
        check(consolidation("deterministic.near_jaccard = 0.4"), "consolidation.deterministic.near_jaccard");
        check(consolidation("auto_apply = \"everything\""), "auto_apply");
        let pipeline = |line: &str| format!("[pipeline]\n{line}\n");
        check(pipeline("jobs_at_once = 0"), "pipeline.jobs_at_once");
        check(pipeline("jobs_at_once = 257"), "pipeline.jobs_at_once");
        check(pipeline("jobs_at_once = 3"), "pipeline.deterministic_at_once");
        check(pipeline("input_tokens_max = 499"), "pipeline.input_tokens_max");
        check(pipeline("input_tokens_max = 20001"), "pipeline.input_tokens_max");
        let config = load_text(&pipeline("jobs_at_once = 256\ninput_tokens_max = 500"), &[]).unwrap();
        assert_eq!(config.engine().unwrap().pipeline.jobs_at_once, 256);
    }

    #[test]
    fn targets_and_webhooks() {
        let target = |more: &str| format!("[[target]]\nname = \"t\"\n{more}\n");
        let hook = |more: &str| format!("{}[[webhook]]\n{more}\n", target("url = \"https://h/\""));
        let config =
            load_text(&hook("target = \"t\"\non = [\"job.failed\"]\nmemory = \"work\""), &[]).unwrap();
        let engine = config.engine().unwrap().job_webhooks;
        assert_eq!((engine.len(), engine[0].on.as_slice()), (1, &[loci_model::job::JobState::Failed][..]));
        let check = |text: String, part: &str| {
            let error = format!("{:#}", load_text(&text, &[]).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        check(target("url = \"ftp://x\""), "[[target]] t");
        check(target("url = \"https://h/\"").repeat(2), "twice");
        check(target("url = \"https://h/\"\nregion = \"eu-west-1\""), "are for s3 and kinesis");
        check(target("url = \"s3://b\""), "region");
        check(target("url = \"s3://b\"\nregion = \"x\"\naccess_key_env = \"A\""), "belong together");
        check(hook("target = \"other\"\non = [\"job.done\"]"), "no [[target]]: other");
        check(hook("target = \"t\"\non = [\"job.running\"]"), "job.done, job.failed");
        check(hook("target = \"t\"\non = []"), "job.done, job.failed");
    }

    #[test]
    fn addresses_of_targets_are_checked_at_once_and_shown_without_keys() {
        let check = |url: &str, part: &str| {
            let text = format!("[[target]]\nname = \"t\"\nurl = {url}\n");
            let error = format!("{:#}", load_text(&text, &[]).unwrap_err());
            assert!(error.contains(part) && !error.contains("secret"), "{error}");
        };
        check("\"https://user:secret@h/\"", "[[target]] t: its url must be");
        check("\"http://169.254.169.254/secret\"", "(metadata)");
        check("\"https://h:port/\"", "(host)");
        check("\"s3://b\"\nendpoint = \"s3.example.org\"", "its endpoint must be");
        check("\"s3://b\"\nendpoint = \"https://a:secret@h\"", "(credentials)");
        check("\"s3://b\"\nendpoint = \"https://h/?key=secret\"", "no query");
        let proxy = |url: &str| load_text(&format!("[outbound]\nproxy = \"{url}\"\n"), &[]);
        let error = proxy("http://user:secret@proxy:3128").unwrap_err().to_string();
        assert!(error.contains("outbound.proxy") && !error.contains("secret"), "{error}");
        assert!(proxy("http://proxy:3128").is_ok() && proxy("").is_ok());
        let text = "[outbound]\nallow_metadata = true\n[[target]]\nname = \"t\"\nurl = \"http://169.254.169.254/x\"\n";
        assert!(load_text(text, &[]).is_ok());

        let text = "[[target]]\nname = \"t\"\nurl = \"https://h/x?token=hidden\"\n[[target]]\nname = \"f\"\nurl = \"file:///a b\"\n";
        let config = load_text(text, &[]).unwrap();
        assert!(!format!("{config:?}").contains("hidden"), "{config:?}");
        let shown = config.shown();
        assert_eq!(
            [shown.targets[0].url.as_str(), shown.targets[1].url.as_str()],
            ["https://h/x?…", "file:///a b"]
        );
    }

    /// A key in place of its variable's name is rejected, and not repeated.
    #[test]
    fn variables_are_names() {
        let key = format!("sk-{}", "proj-aB3dE5gH7jK9mN1pQ3");
        let check = |text: &str, place: &str| {
            let error = format!("{:#}", load_text(&text.replace("KEY", &key), &[]).unwrap_err());
            assert!(error.contains(place) && error.contains("name of a variable"), "{error}");
            assert!(!error.contains("aB3dE5gH7jK9mN1pQ3"), "{error}");
        };
        let model = "[[model]]\nname = \"m\"\nprotocol = \"openai\"\nmodel = \"x\"\n";
        check(&format!("{model}key_env = \"KEY\"\n"), "model.key_env of m");
        check(
            &format!("{model}access_key_env = \"A\"\nsecret_key_env = \"KEY\"\n"),
            "model.secret_key_env of m",
        );
        let embedder = "[[embedder]]\nname = \"e\"\nprotocol = \"openai\"\nmodel = \"x\"\ndimensions = 8\n";
        check(&format!("{embedder}key_env = \"KEY\"\n"), "embedder.key_env of e");
        let target = "[[target]]\nname = \"t\"\nurl = \"https://h/\"\n";
        check(&format!("{target}secret_env = \"KEY\"\n"), "target.secret_env of t");
        check("[telemetry]\nheaders_env = \"KEY\"\n", "telemetry.headers_env");
    }

    #[test]
    fn a_variable_that_holds_a_key_is_no_setting() {
        let model =
            "[[model]]\nname = \"m\"\nprotocol = \"openai\"\nmodel = \"x\"\nkey_env = \"LOCI_MODEL_KEY\"\n";
        let pairs = [("LOCI_MODEL_KEY", "k")];
        assert!(load_text(model, &pairs).is_ok());
        assert_eq!(load_text(model, &pairs).unwrap().variables_without_effect, [""; 0]);
        let unnamed = load_text("", &pairs).unwrap();
        assert_eq!(unnamed.variables_without_effect, ["LOCI_MODEL_KEY"]);
        let warnings = unnamed.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains("LOCI_MODEL_KEY has no effect"), "{warnings:?}");
    }

    #[test]
    fn a_file_with_secret_addresses_is_for_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let check = |url: &str, mode: u32, expect: bool| {
            std::fs::write(&path, format!("[[target]]\nname = \"t\"\nurl = \"{url}\"\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let warnings = load(Some(&path), &Environment::default()).unwrap().warnings();
            assert_eq!(warnings.len(), usize::from(expect), "{url} {mode:o}: {warnings:?}");
            assert!(warnings.iter().all(|told| told.contains("chmod 600") && !told.contains("s3cr3t")));
        };
        check("https://hooks.example.org/x?key=s3cr3t", 0o644, true);
        check("https://hooks.example.org/x?key=s3cr3t", 0o640, true);
        check("https://hooks.example.org/x?key=s3cr3t", 0o600, false);
        check("https://hooks.example.org/x", 0o644, false);
    }

    /// Variables that Kubernetes sets for services called `loci`, `loci-server` and `loci-store`
    /// change nothing.
    #[test]
    fn services_of_kubernetes_change_nothing() {
        let mut pairs = Vec::new();
        for service in ["LOCI", "LOCI_SERVER", "LOCI_STORE"] {
            for (name, value) in [
                ("SERVICE_HOST", "10.0.0.1"),
                ("SERVICE_PORT", "8411"),
                ("SERVICE_PORT_HTTP", "8411"),
                ("PORT", "tcp://10.0.0.1:8411"),
                ("PORT_8411_TCP", "tcp://10.0.0.1:8411"),
                ("PORT_8411_TCP_PROTO", "tcp"),
                ("PORT_8411_TCP_PORT", "8411"),
                ("PORT_8411_TCP_ADDR", "10.0.0.1"),
            ] {
                pairs.push((format!("{service}_{name}"), value));
            }
        }
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(load_text("", &pairs).unwrap(), Config::default());
        let unknown = load_text("", &[("LOCI_TYPO", "x"), ("LOCI_PORT", "8411")]).unwrap();
        assert_eq!(unknown.variables_without_effect, ["LOCI_PORT", "LOCI_TYPO"]);
    }

    /// Each key in a section of the guide has its variable, even if the guide comments it out.
    #[test]
    fn keys_of_the_guide_are_variables() {
        let text = include_str!("../../../../docs/reference/configuration.toml");
        let (mut section, mut checked) = (None, 0);
        for line in text.lines().map(|line| line.trim_start_matches("# ")) {
            if let Some(header) = line.strip_prefix('[') {
                let name = header.split(']').next().unwrap().to_owned();
                // Entries of lists, and tables that users name, can only be set in the file.
                let of_file = ["[", "memory.", "mirror.", "memory_tool.mounts.", "s3.buckets."];
                section = Some(name).filter(|name| !of_file.iter().any(|start| name.starts_with(start)));
                continue;
            }
            let (Some(section), Ok(keys)) = (&section, line.parse::<Table>()) else { continue };
            let mut open: Vec<_> = keys.into_iter().map(|(key, value)| (vec![key], value)).collect();
            while let Some((place, value)) = open.pop() {
                let text = match value {
                    toml::Value::Table(inner) => {
                        let below = |(key, value)| ([place.as_slice(), &[key]].concat(), value);
                        open.extend(inner.into_iter().map(below));
                        continue;
                    }
                    toml::Value::String(text) => text,
                    other => other.to_string(),
                };
                let name =
                    format!("LOCI_{section}_{}", place.join("_")).replace('.', "_").to_ascii_uppercase();
                // An empty variable counts as unset.
                if text.is_empty() {
                    continue;
                }
                let mut table = Table::new();
                let unknown = Environment::of(&[(&name, &text)]).apply(&mut table).unwrap();
                assert!(unknown.is_empty() && !table.is_empty(), "{name}={text}");
                checked += 1;
            }
        }
        assert!(checked > 90, "{checked} keys");
    }

    #[test]
    fn models() {
        let one = "[[model]]\nname = \"m\"\nprotocol = \"openai\"\nmodel = \"x\"\n";
        let check = |text: &str, part: &str| {
            let text = text.replace("ONE", one);
            let error = format!("{:#}", load_text(&text, &[]).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        let loaded = load_text(one, &[]).unwrap();
        let model = &loaded.models[0];
        assert_eq!((model.timeout_ms, model.concurrency, model.max_output_tokens), (None, 16, 16_384));
        assert_eq!(model.temperature.value(), Some(0.0));
        let own = load_text(&format!("{one}temperature = \"default\"\n"), &[]).unwrap();
        assert_eq!(own.models[0].temperature.value(), None);
        check("ONEONE", "two [[model]]");
        check("ONEtemperature = 3.0\n", "model.temperature of m");
        check("ONEtemperature = \"hot\"\n", "temperature");
        check("ONEtimeout_ms = 0\n", "model.timeout_ms of m");
        check("ONEconcurrency = 0\n", "model.concurrency of m");
        check("ONEmax_output_tokens = 0\n", "model.max_output_tokens of m");
        check("ONEaccess_key_env = \"A\"\n", "belong together");
        check("ONEsession_token_env = \"A\"\n", "session_token_env");
        check("ONEapi_key = \"secret\"\n", "api_key");
        check("ONEjson = \"loud\"\n", "json");
        check("[[model]]\nname = \"a b\"\nprotocol = \"openai\"\nmodel = \"x\"\n", "model.name");
        check("[[model]]\nname = \"m\"\nprotocol = \"morse\"\nmodel = \"x\"\n", "morse");
        check("ONE[[model_id]]\nid = \"a\"\nmodel = \"other\"\n", "no [[model]]");
        let id = "[[model_id]]\nid = \"a\"\nmodel = \"m\"\n";
        check(&format!("ONE{id}{id}"), "two [[model_id]]");
        check("[llm]\nmodel = \"other\"\nONE", "no [[model]]");
        check("[outbound]\nretries_max = 11\n", "retries_max");
        check("[outbound]\nconnect_ms = 0\n", "connect_ms");
        assert!(load_text(&format!("[llm]\nmodel = \"m\"\n{one}{id}"), &[]).is_ok());
    }

    #[test]
    fn embedders() {
        let one = "[[embedder]]\nname = \"e\"\nprotocol = \"openai\"\nmodel = \"x\"\ndimensions = 8\n";
        let check = |text: &str, part: &str| {
            let error = format!("{:#}", load_text(&text.replace("ONE", one), &[]).unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        let loaded = load_text(&format!("[embedding]\nuse = \"e\"\n{one}"), &[]).unwrap();
        assert_eq!((loaded.embedders[0].timeout_ms, loaded.embedders[0].concurrency), (None, 16));
        check("[embedding]\nuse = \"other\"\nONE", "embedding.use is other");
        check("ONEONE", "two [[embedder]]");
        check("ONEconcurrency = 0\n", "embedder.concurrency of e");
        check("ONEaccess_key_env = \"A\"\n", "embedder.access_key_env");
        check(
            "[[embedder]]\nname = \"built-in\"\nprotocol = \"openai\"\nmodel = \"x\"\ndimensions = 8\n",
            "built-in",
        );
        check("[[embedder]]\nname = \"e\"\nprotocol = \"openai\"\ndimensions = 8\n", "embedder.model of e");
        check(
            "[[embedder]]\nname = \"e\"\nprotocol = \"openai\"\nmodel = \"x\"\n",
            "embedder.dimensions of e",
        );
        check("ONEpooling = \"cls\"\n", "embedder.pooling of e are for protocol");
        check("ONEpooling = \"max\"\n", "max");
        let file = "[[embedder]]\nname = \"e\"\nprotocol = \"onnx\"\npath = \"e.onnx\"\n";
        if cfg!(feature = "onnx") {
            check(file, "needs path");
            check(&format!("{file}tokenizer = \"t.json\"\ndimensions = 8\n"), "the file sets its dimensions");
            let whole = format!("{file}tokenizer = \"t.json\"\npooling = \"cls\"\n");
            let loaded = load_text(&whole, &[]).unwrap();
            assert_eq!(loaded.embedders[0].pooling, Some(super::super::embedding::EmbedderPooling::Cls));
        } else {
            check(file, "`--features onnx`");
        }
    }

    #[test]
    fn the_guide_says_what_there_is() {
        let text = include_str!("../../../../docs/reference/configuration.toml");
        let shown = load_text(text, &[]).unwrap();
        let defaults = toml::Value::try_from(Config::default()).unwrap();
        let keys = |value: &toml::Value| -> Vec<String> {
            let section = |(name, section): (&String, &toml::Value)| {
                let keys =
                    section.as_table().map(|table| table.keys().map(|key| format!("{name}.{key}")).collect());
                keys.unwrap_or_else(Vec::new)
            };
            value.as_table().unwrap().iter().flat_map(section).collect()
        };
        let told: toml::Value = toml::Value::Table(text.parse().unwrap());
        for key in keys(&defaults) {
            assert!(keys(&told).contains(&key), "the guide leaves out {key}");
        }
        assert_eq!(shown.aws, Config::default().aws);
        assert_eq!(shown.memories, Config::default().memories);
        assert_eq!(shown.extraction, Config::default().extraction);
    }

    #[test]
    fn a_named_file_must_be_there() {
        assert!(load(Some(Path::new("/nowhere/config.toml")), &Environment::default()).is_err());
        assert!(load(None, &Environment::of(&[("HOME", "/nowhere")])).is_ok());
    }
}
