// What an agent does with facts that cite code, by any client that can call a tool and read a resource.
import { fact, repo } from "./repository.mjs";

function must(condition, what) {
  if (!condition) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

/// `call(name, arguments)` gives a result, `read(uri)` the text of a resource, `prompt(name, arguments)` the
/// text of a prompt.
export async function facts({ way, call, read, prompt }) {
  const good = async (name, args) => {
    const result = await call(name, args);
    must(!result.isError, result);
    must(Object.keys(JSON.parse(result.content[0].text)).length === Object.keys(result.structuredContent).length, result);
    return result.structuredContent;
  };
  const refused = async (name, args, code) => {
    const result = await call(name, args);
    must(result.isError && result.structuredContent.code === code, result);
    must(result.content[0].text.startsWith(`${code}: `), result);
  };
  const given = fact(way);
  const stored = await good("memory_store", given);
  must(stored.status === "created" && stored.verification.valid, stored);
  must((await good("memory_store", given)).status === "refreshed", "the same once more");
  await refused("memory_store", { ...given, citations: [] }, "INVALID_ARGUMENT");
  await refused("memory_store", { ...given, fact: "nothing", citations: [{ path: "../a", line_start: 1, line_end: 1 }] }, "PATH_REJECTED");
  await refused(
    "memory_store",
    { ...given, fact: "nothing", citations: [{ path: "src/cart.rs", line_start: 900, line_end: 901 }] },
    "CITATION_UNREADABLE",
  );
  await refused("memory_get_recent", { repo: "acme/unknown" }, "REPO_UNKNOWN");
  await refused("memory_get_recent", { repo, limit: 0 }, "INVALID_ARGUMENT");
  const recent = await good("memory_get_recent", { repo, verify: "fresh", format: "prompt" });
  const own = recent.memories.find((one) => one.id === stored.id);
  must(own.verdict === "valid" && recent.prompt.includes(way), recent);
  // The loop of the source design: what was returned is verified as it was returned.
  const checked = await good("memory_verify_citations", { repo, citations: own.citations });
  must(checked.valid && checked.valid_count === 2, checked);
  const by_path = await good("memory_search_by_path", { repo, path: "src/limits.rs" });
  must(by_path.memories.some((one) => one.id === stored.id), by_path);
  const found = await good("memory_search", { repo, query: `carts of ${way}` });
  must(found.memories.some((one) => one.id === stored.id), found);
  const lines = await good("memory_read_citation", { repo, path: "src/limits.rs", line_start: 2, line_end: 2 });
  must(lines.content.includes("MAX_ITEMS: usize = 50"), lines);
  const receipt = await good("memory_verify_citations", { repo, memory_id: stored.id });
  const refreshed = await good("memory_refresh", { memory_id: stored.id, verification_id: receipt.verification_id });
  must(refreshed.success && refreshed.verification_count === 2, refreshed);
  must((await good("memory_log_applied", { memory_id: stored.id, outcome: "helped" })).logged, "it was used");
  const superseded = await good("memory_supersede", {
    old_memory_id: stored.id,
    new_fact: `A full cart answers CartFull, as ${way} knows.`,
    new_citations: [{ path: "src/cart.rs", line_start: 10, line_end: 13 }],
  });
  await refused("memory_supersede", { old_memory_id: stored.id, new_fact: "once more" }, "NOT_ACTIVE");
  const history = await good("memory_history", { memory_id: superseded.new_memory_id });
  must(history.chain.length === 2 && history.events.some((event) => event.event === "corrected"), history);
  must((await good("memory.get", { memory_id: stored.id })).memory.status === "superseded", "the old one");
  must((await good("memory_stats", { repo })).superseded_count > 0, "statistics");
  const block = await read(`memory://${repo}/recent`);
  must(block.includes("loci-data-") && block.includes(`as ${way} knows`), block);
  must(JSON.parse(await read(`memory://${repo}/memory/${superseded.new_memory_id}`)).memory.status === "active", "the new one");
  must((await read(`memory://${repo}/by-path/src/cart.rs`)).includes(way), "by path");
  must((await prompt("review_with_memory", { repo, paths: "src/cart.rs" })).includes("loci-data-"), "the prompt is fenced");
  must((await prompt("session_start", { repo })).includes(way), "the prompt of a session");
  const invalid = { memory_id: superseded.new_memory_id, reason: "only to see it go" };
  must((await good("memory_invalidate", invalid)).changed, "declared wrong");
  must(!(await good("memory_invalidate", invalid)).changed, "declared wrong twice");
  const rest = await good("memory_get_recent", { repo });
  must(!rest.memories.some((one) => one.id === superseded.new_memory_id), "what is wrong is served no more");
}
