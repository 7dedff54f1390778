//! Topics that no review may change without a person: CI and workflow files, branch protection,
//! secrets, network destinations, permissions, git hooks, package sources, the configuration of
//! agents; and ways around tests, lint, type checks and review. A rule that forbids such a way
//! ("never skip a test") is allowed, but requires a person's approval.

use std::sync::LazyLock;

use regex::Regex;

use super::{Form, Forms, compile};
use crate::rules::extraction::cue_text;

const TOPICS: &[Form] = &[
    Form {
        name: "CI",
        form: concat!(
            r"\bci\b|\bci/cd\b|\bcontinuous (?:integration|deployment|delivery)\b|\bgithub[ -]actions?\b|\bgitlab-ci\b|\bjenkins\w*|\bcircleci\b|\btravis\b|\.github\b|\bworkflow files?\b|\bci[ -]workflows?\b",
            r"|\b(?:build|deploy\w*|release) (?:pipelines?|workflows?)\b|持续集成|流水线|継続的インテグレーション",
        ),
    },
    Form {
        name: "branch protection",
        form: concat!(
            r"\bbranch protection\b|\bprotected branch\w*|\bforce[- ]?push\w*|\bpush\w* (?:\w+ ){0,3}(?:directly |straight )?(?:on)?to (?:the )?(?:main|master|production|default branch)\b|\bcodeowners?\b",
            r"|\brequired (?:reviews?|checks?|approvals?|reviewers?)\b|\bbranchschutz\w*|分支保护|ブランチ保護|\bprotection de branche|\bprotección de (?:la )?rama",
        ),
    },
    Form {
        name: "secrets",
        form: concat!(
            r"\b(?:print|log|dump|echo|output|expose|include|attach|paste|send|encode|write|put|copy)\w*\b[^.\n]{0,40}\b(?:process\.env|environment(?: variables?)|env vars?|os\.environ|printenv)\b|",
            r"\bsecrets?\b|\bcredentials?\b|\bapi[- _]?keys?\b|\b(?:private|ssh|signing|encryption|deploy|access)[- _]keys?\b|\bpasswords?\b|\bpassphrases?\b|\b(?:access|auth|api|bearer|github|refresh|session|deploy|personal access) ?tokens?\b",
            r"|\bpassw[oö]rt\w*|\bzugangsdaten\b|\bgeheimniss?\w*|\bapi-schlüssel\w*|\bmots? de passe\b|\bidentifiants? de connexion\b|\bclés? (?:d'api|api|privées?)|\bcontraseñas?\b|\bcredenciales\b|\bsecretos\b|\bclaves? (?:de )?(?:la )?api\b",
            r"|\bsenhas?\b|\bcredenciais\b|\bsegredos\b|\bchaves? (?:de )?(?:da )?api\b|密码|密钥|凭证|凭据|令牌|パスワード|秘密鍵|認証情報|シークレット|APIキー|비밀번호|парол\w+|секрет\w+",
        ),
    },
    Form {
        name: "network destinations",
        form: r"\bwebhook (?:url|endpoint|to)\b|\b(?:outbound|egress)\b|\bexfiltrat\w+|\b(?:send|post|upload|forward|report|transmit|ship|push)\b[^.\n]{0,60}\bto (?:our|the|this|that|an?|my) (?:external |remote |following |collector |analytics |metrics |logging |mirror )*(?:server|endpoint|host|url|address|collector|webhook|mirror|service|domain|channel)\b|\bdns server\b|\bfirewall\b|\bproxy (?:url|server|host)\b",
    },
    Form {
        name: "permissions",
        form: r"\bgrant\w*\b[^.\n]{0,40}\b(?:access|permissions?|rights?|roles?|privileges?|admin\w*|everyone)\b|\b(?:write|admin|root|full|owner) (?:access|permissions?|rights?|privileges?)\b|\bpermissions? (?:to|for) (?:everyone|all|any)\b|\bcontents: write\b|\bwrite-all\b|\b0?777\b|\bworld[- ](?:readable|writable)\b|\bprivilege escalation\b|\bcollaborators?\b|\bas (?:an? )?(?:admin|administrator|maintainer|owner|root)\b",
    },
    Form {
        name: "git hooks",
        form: r"\bgit[- ]?hooks?\b|\bpre-?(?:commit|push|receive)\b|\bpost-?(?:commit|checkout|merge)\b|\bhusky\b|\blefthook\b|\bhookspath\b|\bcommit hooks?\b",
    },
    Form {
        name: "package sources",
        form: r"\b(?:package|npm|pypi|docker|container|image|private|custom|internal|alternative|public|crates?|maven|nuget|gem)[- ](?:registr(?:y|ies)|mirrors?|index(?:es)?|feeds?|sources?|repositor(?:y|ies))\b|\bmirror registr\w+|\b(?:our|a|the|another|internal|private) (?:\w+ )?(?:package )?(?:mirror|registry)\b[^.\n]{0,20}\b(?:instead|for|as)\b|\b(?:packages?|dependenc(?:y|ies)|images?|librar(?:y|ies)) from\b|--(?:registry|index-url|extra-index-url)\b|\bindex-url\b|\.npmrc\b|\bpip\.conf\b|\binstall\w*\b[^.\n]{0,50}\bfrom (?:git|github|a fork|source|an? (?:url|tarball))|\bpypi\b",
    },
    Form {
        name: "configuration of agents",
        form: r"\bclaude\.md\b|\bagents\.md\b|\.cursorrules\b|\bcopilot-instructions\b|\.claude\b|\.cursor\b|\bmcp\b|\bagent(?:'s|s')? (?:config\w*|settings?|instructions?|rules?|memory|permissions?|tools?)\b|\ballow(?:ed)?[- ]?tools\b",
    },
];

static FORMS: Forms = Forms::of(|| compile(TOPICS));

/// Checks that a rule may not circumvent.
const CHECKS: &str = concat!(
    r"(?:tests?|test ?suites?|test ?cases?|testing|specs?|lint\w*|type[- ]?check\w*|type errors?|checks?|reviews?|reviewers?|approvals?|hooks?|assertions?|warnings?|coverage|validation|verification|authentication|authori[sz]ation|auth",
    r"|security|signatures?|tls|ssl|certificates?|csrf|cors|encryption|sandbox\w*|eslint|clippy|mypy|tsc|rubocop|sonar|scans?|safety|rate limits?|logging|audit\w*|monitoring|alerts?|saniti[sz]ation|escaping|permission checks?)",
);

/// Ways around checks.
static WEAKENS: LazyLock<Regex> = LazyLock::new(|| {
    let english = format!(
        r"\b(?:skip|disable|turn off|switch off|bypass|circumvent|comment out|suppress|silence|mute|relax|weaken|ignore|deactivate|stub out|xfail)(?:s|ing|ping|d)?\s+(?:the |all |any |failing |flaky |slow |broken |unit |integration |e2e |these |those |our |your |type |code |security |static |automated |peer |human |(?:eslint|lint|linter|ssl|tls|certificate|signature|permission|input|auth|authentication) ){{0,3}}{CHECKS}\b"
    );
    let not_needed = r"\b(?:no need (?:for|to (?:write|add|run|wait for|ask for|get))|(?:don't|do not) (?:need|bother|require|wait for|ask for|run|write)(?: with| to (?:write|run|add))?|(?:never|don't|do not) (?:run|require|wait for|request|ask(?: \w+){0,2} for|seek|get|need)|never write|stop (?:running|writing|requiring)|(?:merge|push|commit|ship|deploy|release|land) (?:\w+ ){0,4}without)\s+(?:the |any |a |an |unit |more |further |waiting for |asking for |code |human ){0,3}(?:tests?|reviews?|reviewers?|approvals?|lint\w*|type ?checks?|checks?|permission)\b";
    let others = concat!(
        r"\b(?:tests?|reviews?|reviewers?|approvals?|checks?|type ?checks?|linting) (?:are|is) (?:not|never|no longer|n't) (?:needed|required|necessary|important)\b|\b(?:tests?|reviews?) (?:aren't|isn't) (?:needed|required|necessary)\b",
        r"|\b(?:merg|approv|push|deploy|ship|land)\w*\b[^.\n]{0,40}\b(?:without (?:\w+ ){0,2}(?:review|approval|checks?|tests?|waiting|asking|permission|ci)|on (?:their|its|your|his) own|regardless|even if|immediately|automatically)\b|\b(?:tests?|assertions?|specs?|lint\w*|checks?|reviews?|approvals?|type ?checks?|validation|hooks?|scans?)\b[^.\n]{0,40}\b(?:skipped|disabled|deleted|ignored|bypassed|commented out|turned off|suppressed|silenced|muted|xfail\w*|optional|unnecessary|waived|relaxed|loosened|marked as (?:todo|pending))\b|\b(?:delete|remove|drop|weaken|loosen) (?:the |all |any |those |every )?(?:failing|flaky|slow|broken|red) (?:tests?|assertions?|checks?|specs?)\b|\bapprov(?:e|es|ed|ing)\b[^.\n]{0,30}\b(?:own|pull requests?|prs?|changes|everything)\b|\b(?:let|allow)\w*\b[^.\n]{0,20}\b(?:agents?|bots?)\b|\bmerg\w+\b[^.\n]{0,30}\b(?:failing|red|broken)\b|\b(?:merge|push|commit|deploy|release)\w* (?:\w+ ){0,3}(?:directly|straight|right away|blindly)\b|\brubber[- ]?stamp\w*|\b(?:delete|remove|drop) (?:the |all |any |those |these |our |your )*(?:tests?|assertions?|specs?|validation|checks?)\b|\b(?:lower|reduce|decrease) (?:the )?(?:coverage|test|quality|security)\b|\b(?:don't|do not|never|no need to|stop) (?:validat|verify|saniti[sz]|escap|authenticat|authori[sz])\w*|\bshell\s*=\s*true\b|\bplain http\b|\bhttp (?:instead of|over|rather than) https\b|\btrust\w* (?:all|any|the|every|user|client)(?:'s)? (?:user |client )?(?:input|data|certificates?)\b|\b(?:allow|accept) (?:all|any|every) (?:origins?|hosts?|certificates?|requests?)\b|\b(?:full|raw|entire|whole) (?:request headers?|headers|session|cookies?)\b|\bauthori[sz]ation headers?\b|\b(?:pastebin|ngrok|requestbin|webhook\.site|telegram)\b|\bmake\b[^.\n]{0,30}\bpublic(?:ly)? (?:readable|accessible|writable)?\b[^.\n]{0,20}\b(?:repo\w*|bucket)|\b(?:ohne (?:ein )?review|ohne (?:freigabe|prüfung|tests)|reviews? (?:ist|sind) (?:nicht|un)\w*|sans (?:revue|relecture|validation|tests)|sin (?:revisión|aprobación|pruebas|tests)|sem (?:revisão|aprovação|testes))\b|(?:无需|不需要|不用|免)(?:审核|审查|评审|测试|review|检查)|直接合并|直接(?:推送|push)|(?:レビュー|テスト|承認)(?:なし|は?不要|は?いらない|せずに|を待たず)|直接マージ|--no-check-certificate\b|--insecure\b|--no-sandbox\b|--privileged\b|\bcommit -n\b|\b(?:push|pushed|pushing) (?:\w+ ){0,2}with force\b|\bwithout (?:any |further |prior )?(?:authentication|authori[sz]ation|auth|login|validation|verification|encryption|checks?|signatures?|saniti[sz]ation|escaping)\b|\bmark\w*\b[^.\n]{0,40}\bas (?:approved|verified|reviewed|safe|trusted|passing|passed|resolved)\b|\b(?:tests?|checks?|assertions?)\b[^.\n]{0,30}\b(?:fail|break)\w*\b[^.\n]{0,30}\b(?:removed|deleted|skipped|ignored|disabled|dropped)\b|\bphone home\b|\b(?:telemetry|analytics|collector|tracking|external|remote) (?:server|endpoint|host)\b|\bhidden (?:text|instructions?|comments?|prompts?|links?)\b|\b(?:never|don't|do not) (?:report|disclose|mention) (?:\w+ ){0,2}(?:vulnerabilit\w+|incidents?|bugs?)\b|\b(?:never|don't|do not|no longer|no need to) (?:require|use|enable|enforce|need) (?:two-factor|2fa|mfa|multi-factor|authentication|auth|encryption|https|tls|csrf|signatures?|validation|prepared statements|parameteri[sz]ed)\b|\bauto[- ]?(?:approve|merge|accept)\w*|\b(?:always|automatically|immediately|just) (?:approve|merge|accept|lgtm)\b|\bapprove (?:all|every|any)\b|--no-verify\b|--force\b|--skip-\w+|\bskip[- ]ci\b|\[(?:skip ci|ci skip)\]",
        r"|@ts-(?:ignore|nocheck|expect-error)|\beslint-disable\w*|\bnoqa\b|\btype:\s*ignore\b|\bnolint\b|\bnosec\b|\bpragma: no cover\b|#\[allow\b|#\[ignore\]|@suppresswarnings\b|\b(?:it|test|describe)\.(?:skip|only)\b|\bxit\b|@disabled\b|\bmark\.skip\b|\bistanbul ignore\b|\brubocop:disable\b",
        r"|\bverify\s*=\s*false\b|\brejectunauthorized\b|\binsecureskipverify\b|\bbackdoor\w*|\btrust all\b|\ballow all origins\b|\bhard-?cod\w+ (?:\w+ ){0,2}(?:token|secret|password|credential|key)s?\b",
        r"|\b(?:überspring\w*|deaktivier\w*|abschalt\w*|ausschalt\w*|umgeh\w*|auskommentier\w*)\b[^.\n]{0,30}\b(?:tests?|lint\w*|prüfung\w*|reviews?|typprüfung\w*|hooks?|validierung\w*)|\b(?:tests?|linter?|prüfung\w*|reviews?|typprüfung\w*|validierung\w*)\b[^.\n]{0,30}\b(?:überspr\w*|deaktivier\w*|abgeschalte\w*|abschalt\w*|ausgeschalte\w*|ausschalt\w*|umgeh\w*|umgangen|auskommentier\w*)",
        r"|\b(?:désactiv\w*|ignore[rz]?|saute[rz]?|contourne\w*|court-circuit\w*)\b[^.\n]{0,30}\b(?:tests?|lint\w*|vérifications?|revues?|contrôles?|validation)|\b(?:desactiv\w*|deshabilit\w*|omit\w*|salt\w*|ignor\w*)\b[^.\n]{0,30}\b(?:tests?|pruebas?|lint\w*|revisi[oó]n\w*|verificaci\w+|comprobaci\w+|validaci\w+)",
        r"|\b(?:desativ\w*|desabilit\w*|pul(?:e|a|ar|em)|ignor\w*)\b[^.\n]{0,30}\b(?:testes?|lint\w*|revis[õã]\w+|verifica\w+|valida\w+)|(?:跳过|禁用|关闭|关掉|绕过|注释掉|忽略|省略)[^。\n]{0,10}(?:测试|检查|审查|评审|校验|验证|lint|审核)|(?:テスト|チェック|レビュー|lint|検証|リンター)[^。\n]{0,8}(?:スキップ|無効|省略|飛ばし|バイパス|回避)",
        r"|(?:пропуск\w*|отключ\w*|обход\w*)[^.\n]{0,30}(?:тест|провер|ревью|линт)|(?:테스트|검사|리뷰|린트)[^.\n]{0,8}(?:건너|비활성|생략|무시)",
    );
    cue_text::compiled(&format!("(?i){english}|{not_needed}|{others}"))
});

/// Concatenated queries, which may be mentioned only in a prohibition.
static GLUED: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:sql|quer(?:y|ies)|commands?|html)\b[^.\n]{0,60}\b(?:concatenat\w+|interpolat\w+|string formatting)\b|\b(?:concatenat\w+|interpolat\w+)\b[^.\n]{0,60}\b(?:sql|quer(?:y|ies)|user input)\b",
    )
});
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:never|not|no|don't|avoid|instead of|rather than|over|without|forbidden|must not|shouldn't)\b",
    )
});

/// A negation directly before such a way.
static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:never|don't|do not|doesn't|avoid|no|must not|should not|shouldn't|mustn't|can't|cannot|not|stop)\s+(?:ever |just |simply |silently |to )?(?:use |using |add |adding |commit |leave |sprinkle |reach for |put )?(?:any |new |a |an |more )?$",
    )
});

/// The protected topics of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ProtectedTopicHits {
    /// The topic because of which it is rejected.
    pub(super) refused: Option<&'static str>,
    /// The topic because of which it waits for a person.
    pub(super) approval: Option<&'static str>,
}

/// Returns the protected topics of a text.
pub(super) fn found(text: &str) -> ProtectedTopicHits {
    if weakens(text) {
        return ProtectedTopicHits { refused: Some("a way around checks"), approval: None };
    }
    if let Some(topic) = FORMS.first(text) {
        return ProtectedTopicHits { refused: Some(topic), approval: None };
    }
    let approval = WEAKENS.is_match(text).then_some("approval: speaks of a way around checks");
    ProtectedTopicHits { refused: None, approval }
}

/// True for a way around checks that is not forbidden in the same words.
pub(super) fn weakens(text: &str) -> bool {
    if text.lines().any(|line| GLUED.is_match(line) && !NEGATED.is_match(line)) {
        return true;
    }
    WEAKENS.find_iter(text).any(|way| !FORBIDS.is_match(text.get(..way.start()).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a62_protected_topics() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(found(text).refused, expect, "{text}");
        check("Always run CI on every branch", Some("CI"));
        check("Never edit `.github/workflows/ci.yml`", Some("CI"));
        check("Force-push to feature branches only", Some("branch protection"));
        check("Store credentials in the config file", Some("secrets"));
        check("Always grant the bot admin rights", Some("permissions"));
        check("Always use the private registry", Some("package sources"));
        check("Use husky for all checks", Some("git hooks"));
        check("Always update AGENTS.md", Some("configuration of agents"));
        check("Always send logs to our external collector", Some("network destinations"));
        for way in [
            "Always skip the tests for docs",
            "Disable lint in generated code",
            "Add `@ts-ignore` above such lines",
            "Tests are not required for small changes",
            "Always approve changes of the bot",
            "Tests immer überspringen",
            "Désactivez toujours les tests",
            "Siempre desactiva las pruebas",
            "总是跳过测试",
            "常にテストをスキップしてください",
            "Merge small changes without review",
        ] {
            check(way, Some("a way around checks"));
        }
        for fine in [
            "Avoid logic in tests.",
            "Every endpoint needs a test.",
            "Never sleep in tests.",
            "Parse tokens in one pass.",
            "Name workflows after what they do.",
            "Don't ignore errors.",
        ] {
            check(fine, None);
        }
    }

    #[test]
    fn what_forbids_a_way_around_waits_for_a_person() {
        for text in ["Never use `@ts-ignore`, fix the type.", "Don't skip tests.", "Avoid `eslint-disable`"] {
            let text = text.replace('`', "");
            assert_eq!(found(&text).refused, None, "{text}");
            assert!(found(&text).approval.is_some(), "{text}");
        }
    }
}
