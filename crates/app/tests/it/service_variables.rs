//! Variables that container platforms set for a service called `loci` do not prevent the start of
//! the server.

use crate::program::Home;

#[test]
fn a_server_starts_beside_a_service_of_its_name() {
    let home = Home::new();
    let links = [
        ("LOCI_SERVICE_HOST", "10.0.0.1"),
        ("LOCI_SERVICE_PORT", "8411"),
        ("LOCI_PORT", "tcp://10.0.0.1:8411"),
        ("LOCI_PORT_8411_TCP_ADDR", "10.0.0.1"),
        ("LOCI_SERVER_SERVICE_HOST", "10.0.0.1"),
        ("LOCI_SERVER_PORT", "tcp://10.0.0.1:8411"),
        ("LOCI_CODING_BUDGET_TOKENS", "1500"),
        ("LOCI_VERIFIED_THREADS", "2"),
        ("LOCI_TYPO_KEY", "x"),
    ];
    let server = home.serve_with(&[], &links);
    let log = home.log();
    assert!(log.contains("LOCI_TYPO_KEY has no effect"), "{log}");
    assert!(!log.contains("LOCI_PORT") && !log.contains("SERVICE"), "{log}");
    drop(server);

    let run = |variables: &[(&str, &str)]| {
        let mut command = home.command(&["config", "print"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, shown, said) = run(&links);
    assert!(code == Some(0) && shown.contains("budget_tokens = 1500"), "{shown}{said}");
    assert!(said.contains("warning: LOCI_TYPO_KEY has no effect"), "{said}");
    let (code, _, said) = run(&[("LOCI_SERVER_LISSEN", "x")]);
    assert!(code == Some(1) && said.contains("LOCI_SERVER_LISSEN") && said.contains("lissen"), "{said}");
}
