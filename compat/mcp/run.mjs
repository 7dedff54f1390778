// Gate A and B of the official conformance suite, the official inspector in both eras, the official SDKs as
// clients, and the schemas of tools under JSON Schema 2020-12. Ends with "N passed, M failed".
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clients } from "./clients.mjs";
import { description, task } from "./coding.mjs";
import { fact, make_repository, repo } from "./repository.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const base = process.env.LOCI_URL;
const loci = process.env.LOCI_BIN;
const fixtures = process.env.LOCI_MCP_FIXTURES;
const only = process.argv[2];
const endpoint = `${base}/mcp/p/full`;
const data = mkdtempSync(join(tmpdir(), "loci-mcp-"));
const shop = make_repository(data);
const stdio = [loci, "mcp", "--data-dir", join(data, "data"), "--profile", "full"];
// What is started here has a folder of its own: it must not find the way to the server.
const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("LOCI_")));
let passed = 0;
let failed = 0;

function outcome(name, ok, text = "") {
  if (ok) passed += 1;
  else failed += 1;
  console.log(`${ok ? "ok" : "NOT OK"}  ${name}${ok ? "" : `\n${text.slice(-4000)}`}`);
}

function run(name, command, args, check = () => true) {
  const done = spawnSync(command, args, { cwd: shop, env: own, encoding: "utf8", timeout: 180_000, maxBuffer: 1 << 26 });
  const text = `${done.stdout}\n${done.stderr}`;
  let fits = false;
  try {
    fits = done.status === 0 && check(done.stdout, done.stderr);
  } catch (error) {
    outcome(name, false, `${error}\n${text}`);
    return;
  }
  outcome(name, fits, `exit ${done.status}\n${text}`);
}

const package_of = (name) => join(here, "node_modules", "@modelcontextprotocol", name);

function conformance(name, args) {
  const program = join(package_of("conformance"), "dist", "index.js");
  run(name, process.execPath, [program, "server", ...args, "-o", join(data, "conformance")]);
}

function gate_a() {
  const scenarios = {
    "2026-07-28": [
      "server-stateless",
      "tools-list",
      "caching",
      "dns-rebinding-protection",
      "sep-2164-resource-not-found",
      "http-header-validation",
    ],
    "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  };
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const name of names) {
      const args = ["--url", endpoint, "--scenario", name, "--spec-version", revision];
      if (name === "server-stateless") args.push("--expected-failures", join(here, "baseline-product.yml"));
      conformance(`A ${revision} ${name}`, args);
    }
  }
}

function gate_b() {
  for (const revision of ["2026-07-28", "2025-11-25"]) {
    conformance(`B ${revision}, all that is required`, ["--url", fixtures, "--requirements", revision]);
  }
  for (const name of ["http-header-validation", "http-custom-header-server-validation", "json-schema-2020-12"]) {
    conformance(`B 2026-07-28 ${name}`, ["--url", fixtures, "--scenario", name, "--spec-version", "2026-07-28"]);
  }
}

function inspector() {
  const program = join(package_of("inspector"), "clients", "launcher", "build", "index.js");
  const node = (name, era, target, args, check) =>
    run(`inspector ${name}`, process.execPath, [program, "--cli", "--protocol-era", era, ...args, ...target], check);
  const http = ["--transport", "http", "--server-url", endpoint];
  const json = (text) => JSON.parse(text.slice(text.indexOf("{")));
  for (const era of ["legacy", "modern"]) {
    for (const [way, target] of [["stdio", ["--", ...stdio]], ["http", http]]) {
      const name = `${way} ${era}`;
      node(`${name} tools/list`, era, target, ["--method", "tools/list", "--strict"], (text) => json(text).tools.length > 0);
      for (const method of ["prompts/list", "resources/list", "resources/templates/list"]) {
        node(`${name} ${method}`, era, target, ["--method", method]);
      }
      const add = ["--method", "tools/call", "--tool-name", "add_memory", "--tool-arg", 'entries=["Anna likes tea"]'];
      node(`${name} add_memory`, era, target, add, (text) => json(text).structuredContent.stored !== undefined);
      const search = ["--method", "tools/call", "--tool-name", "search_memory", "--tool-arg", "query=what does Anna like"];
      node(`${name} search_memory`, era, target, search, (text) =>
        json(text).structuredContent.results[0].content.includes("tea"),
      );
      // Each call is a process: both eras and both ways, but not all four.
      if ((era === "legacy") === (way === "stdio")) {
        about_facts(node, name, era, target, json);
        about_tasks(node, name, era, target, json);
      }
      node(`${name} prompts/get`, era, target, ["--method", "prompts/get", "--prompt-name", "memory_rules"]);
      node(`${name} resources/read`, era, target, ["--method", "resources/read", "--uri", "memory://rules"]);
    }
  }
  const load = ["--method", "tools/call", "--tool-name", "search_memory", "--tool-arg", "query=tea"];
  node("http load", "legacy", http, [...load, "--load", "--load-concurrency", "8", "--load-requests", "200"], (text) => {
    console.log(text.trim());
    return true;
  });
}

// Calls of tools whose arguments fit a command line.
function caller(node, name, era, target, json) {
  return (tool, args, check) => {
    const given = Object.entries(args).flatMap(([key, value]) => [
      "--tool-arg",
      `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    ]);
    node(`${name} ${tool}`, era, target, ["--method", "tools/call", "--tool-name", tool, ...given], (text) => {
      const answer = json(text);
      if (answer.isError) throw new Error(text);
      return check(answer.structuredContent);
    });
  };
}

// One call of each tool for tasks.
function about_tasks(node, name, era, target, json) {
  const call = caller(node, name, era, target, json);
  let id;
  call("memory_note", { task_id: task, text: `src/limits.rs: MAX_ITEMS bounds the cart, says ${name}.` }, (noted) => (id = noted.learning.id));
  call("memory_hydrate", { task_id: task, query: `MAX_ITEMS bounds the cart, says ${name}` }, (shown) => shown.knowledge.length > 0);
  call("memory_feedback", { task_id: task, helpful: [id] }, (said) => said.helpful.includes(id));
  call("rules_list", { repo }, (list) => Array.isArray(list.rules));
  call("related_files", { repo, paths: ["src/cart.rs"] }, (found) => Array.isArray(found.files));
  call("task_history", { repo }, (list) => list.tasks.some((one) => one.task_id === task));
  call("attribution_lookup", { task }, (found) => found.items.length === 1);
}

// One call of each tool for facts.
function about_facts(node, name, era, target, json) {
  const way = name.replaceAll(" ", " by ");
  const call = caller(node, name, era, target, json);
  let id;
  call("memory_store", fact(way), (stored) => (id = stored.id) && stored.status === "created");
  call("memory_get_recent", { repo, limit: 5 }, (list) => list.memories.some((one) => one.id === id));
  call("memory_search", { repo, query: "full carts" }, (list) => list.memories.length > 0);
  call("memory_search_by_path", { repo, path: "src/cart.rs" }, (list) => list.memories.length > 0);
  call("memory_verify_citations", { repo, memory_id: id }, (checked) => checked.valid);
  const place = { path: "src/limits.rs", line_start: 1, line_end: 2 };
  call("memory_read_citation", { repo, ...place }, (lines) => lines.exists);
  call("memory_refresh", { memory_id: id }, (done) => done.success);
  call("memory_log_applied", { memory_id: id, outcome: "helped" }, (done) => done.logged);
  call("memory_get", { memory_id: id }, (one) => one.memory.status === "active");
  const corrected = { old_memory_id: id, new_fact: `A full cart refuses items, says ${way}.`, new_citations: [place] };
  call("memory_supersede", corrected, (done) => (id = done.new_memory_id));
  call("memory_history", { memory_id: id }, (history) => history.chain.length === 2);
  call("memory_invalidate", { memory_id: id, reason: "only to see it go" }, (done) => done.changed);
  call("memory_stats", { repo }, (stats) => stats.superseded_count > 0);
  call("memory_delete", { memory_ids: [id], reason: "only to see it go" }, (done) => done.deleted === 1);
  node(`${name} recent facts`, era, target, ["--method", "resources/read", "--uri", `memory://${repo}/recent`]);
}

async function prepare() {
  const made = await fetch(`${base}/v1/memories`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "notes" }),
  });
  if (!made.ok) throw new Error(`no memory was made: ${await made.text()}`);
  const known = await fetch(`${base}/v1/repos`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ directory: shop }),
  });
  if (!known.ok) throw new Error(`the repository is not known: ${await known.text()}`);
  const begun = await fetch(`${base}/v1/tasks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ task_id: task, repo, description }),
  });
  if (!begun.ok) throw new Error(`no task was begun: ${await begun.text()}`);
  run("a memory for stdio", loci, ["memory", "create", "notes", "--data-dir", join(data, "data")]);
  run("a task for stdio", loci, ["task", "create", "--id", task, "--data-dir", join(data, "data"), description]);
}

await prepare();
if (!only || only === "a") gate_a();
if (!only || only === "b") gate_b();
if (!only || only === "inspector") inspector();
if (!only || only === "clients") {
  await clients({ endpoint, stdio, cwd: shop, outcome });
  const python = process.env.LOCI_PYTHON;
  const args = [process.env.LOCI_MCP_PYTHON_CLIENT, endpoint, ...stdio];
  run("python mcp", python, args, (text) => {
    console.log(text.trim());
    return text.includes("stdio ok") && text.includes("http ok");
  });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
