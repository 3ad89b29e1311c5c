import fc from "fast-check";
import type { Route } from "../../attacks/world/routes.ts";
import { valuesOf } from "./values.ts";
import type { Definitions } from "./values.ts";

/** A request that was made up. */
export interface FuzzRequest {
  method: string;
  path: string;
  body: object | undefined;
  headers: Record<string, string>;
}

/** What the daemon would do for real, kept harmless: commands run as the user who runs the tests. */
const HARMLESS: Readonly<Record<string, readonly unknown[]>> = {
  "POST /api/agents/{id}/bash command": ["true", "echo out", "exit 3", "cat"],
  "POST /api/agents/{id}/snippet code": ["true", "echo out", "1 + 1"],
  "POST /api/agents/{id}/command text": ["/help", "/none", "no command"],
  "POST /api/terminals command": ["sh", "cat", "true"],
  "POST /api/terminals/{id}/type text": ["x", "\u0003", "y\u007f"],
  "POST /api/terminals/{id}/run command": ["true", "echo out"],
  "POST /api/terminals/{id}/prompt text": ["hello"],
};
/** Prompts for agents, with markers that the practice agent acts on. */
const PROMPTS = [
  "hello",
  "[[reply:fine]]",
  "[[ask:May I?]][[reply:done]]",
  "[[cost:0.01]][[long:20:5]]",
  "[[fail:on purpose]]",
  "[[crash]]",
];
const PROMPT_NAMES = new Set(["message", "prompt", "text", "description"]);
const MAX_WAIT_MS = 2_000;
/** Paths that would take the test's own credential, or never end. */
const LEFT_OUT = new Set([
  "POST /api/auth/token/rotate",
  "GET /api/events",
  "GET /api/agents/{id}/stream",
]);

/** Ids that are there, by the path of the list that they are in. */
export type Pools = ReadonlyMap<string, readonly string[]>;

/** Makes up requests for the operations of a daemon. Nothing is sent. */
export function fuzzRequests(
  routes: readonly Route[],
  definitions: Definitions,
  pools: Pools,
  workspace: string,
): fc.Arbitrary<FuzzRequest> {
  const usable = routes.filter(
    ({ method, path }) => !LEFT_OUT.has(`${method} ${path}`),
  );
  return fc.constantFrom(...usable).chain((route) =>
    fc.record({
      method: fc.constant(route.method),
      path: paths(route, pools),
      body: bodies(route, definitions, workspace),
      headers: fc.oneof(
        { weight: 8, arbitrary: fc.constant({}) },
        {
          weight: 1,
          arbitrary: fc.constantFrom<Record<string, string>>(
            { "if-match": '"1"' },
            { "if-match": "x" },
            { "idempotency-key": "again" },
            { "last-event-id": "7" },
            { range: "bytes=0-10" },
          ),
        },
      ),
    }),
  );
}

const ODD_IDS = ["none", "../x", "%00", "a%2Fb", "agt_", "constructor"];

function paths({ path, query }: Route, pools: Pools): fc.Arbitrary<string> {
  const parts = path.split("/").map((part, at, all) => {
    if (!part.startsWith("{")) return fc.constant(part);
    const ids = pools.get(all.slice(0, at).join("/")) ?? [];
    const odd = fc.constantFrom(...ODD_IDS);
    return ids.length === 0
      ? odd
      : fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom(...ids) },
          { weight: 1, arbitrary: odd },
        );
  });
  const parameters = fc.array(
    fc.tuple(
      fc.constantFrom(...query, "unknown"),
      fc.constantFrom("", "1", "-1", "x", "README.md", "../x", "2026-01-01"),
    ),
    { maxLength: query.length > 0 ? 2 : 0 },
  );
  return fc.tuple(fc.tuple(...parts), parameters).map(([names, pairs]) => {
    const search = new URLSearchParams(pairs).toString();
    return names.join("/") + (search && `?${search}`);
  });
}

function bodies(
  route: Route,
  definitions: Definitions,
  workspace: string,
): fc.Arbitrary<object | undefined> {
  const { body } = route;
  if (route.takes !== "json" || !body) return fc.constant(undefined);
  return valuesOf(body, definitions, 24).map((value) => {
    if (typeof value !== "object" || value === null) return { value };
    return makeHarmless(route, value as Record<string, unknown>, workspace);
  });
}

/** Replaces what would be run, what would be sent to an agent, and where. */
function makeHarmless(
  { method, path }: Route,
  body: Record<string, unknown>,
  workspace: string,
): object {
  const choose = (choices: readonly unknown[], of: unknown) =>
    choices[JSON.stringify(of ?? null).length % choices.length];
  // Otherwise a question that gets no answer would be waited for.
  const limited = path.endsWith("/ask")
    ? { ...body, timeoutMs: MAX_WAIT_MS }
    : body;
  return Object.fromEntries(
    Object.entries(limited).map(([name, value]) => {
      const harmless = HARMLESS[`${method} ${path} ${name}`];
      if (harmless) return [name, choose(harmless, value)];
      const isPrompt = PROMPT_NAMES.has(name) && typeof value === "string";
      if (isPrompt) return [name, choose(PROMPTS, value)];
      if (name === "cli" && typeof value === "string")
        return [name, choose(["practice", "practice", "none"], value)];
      if (["cwd", "workspace"].includes(name) && typeof value === "string")
        return [name, choose([workspace, workspace, "/none"], value)];
      return [name, value];
    }),
  );
}
