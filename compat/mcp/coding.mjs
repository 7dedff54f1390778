// What a coding agent does in a task, by any client that can call a tool. Who runs the agent begins the task:
// no tool does.
import { repo } from "./repository.mjs";

export const task = "t-compat";
export const description = "Bound what a cart takes";

function must(condition, what) {
  if (!condition) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

/// `call(name, arguments)` gives a result.
export async function coding({ way, call }) {
  const good = async (name, args) => {
    const result = await call(name, args);
    must(!result.isError, result);
    return result.structuredContent;
  };
  const refused = async (name, args, code) => {
    const result = await call(name, args);
    must(result.isError && result.structuredContent.code === code, result);
  };
  const noted = await good("memory_note", {
    task_id: task,
    text: `src/limits.rs: MAX_ITEMS bounds the cart, as ${way} knows.`,
    category: "convention",
  });
  must(noted.learning.id, noted);
  const hydrated = await good("memory_hydrate", { task_id: task, query: `MAX_ITEMS bounds the cart ${way}` });
  must(hydrated.rendered.includes("loci-data-") && hydrated.exposure_id, hydrated);
  must(hydrated.knowledge.some((one) => one.id === noted.learning.id), hydrated);
  const looked = await good("memory.hydrate", { repo, query: "MAX_ITEMS", render: "none" });
  must(looked.rendered === undefined && looked.knowledge.length > 0, looked);
  const said = await good("memory_feedback", { task_id: task, used: [noted.learning.id], helpful: [noted.learning.id] });
  must(said.used.includes(noted.learning.id) && said.warnings.length === 0, said);
  must(Array.isArray((await good("rules_list", { repo })).rules), "rules");
  must(Array.isArray((await good("related_files", { repo, paths: ["src/cart.rs"] })).files), "related files");
  const history = await good("task_history", { repo, q: "bound" });
  must(history.tasks.some((one) => one.task_id === task), history);
  const led = await good("attribution_lookup", { task });
  must(led.items[0].task.description === description, led);
  // A process that was started in a clone means its repository where its caller names none.
  if (way.includes("stdio")) await good("memory_hydrate", {});
  else await refused("memory_hydrate", {}, "INVALID_ARGUMENT");
  await refused("memory_note", { task_id: "t-nobodys", text: "src/cart.rs: nothing." }, "NOT_FOUND");
  await refused("task_history", { repo: "acme/unknown" }, "REPO_UNKNOWN");
}
