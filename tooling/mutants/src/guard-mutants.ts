import type { Mutant } from "./mutant.ts";

const TABS = ["test/guard/guard-tabs.test.ts"];
const CONTENT = ["test/guard/guard-content.test.ts"];
const SERVICE = ["test/guard/work-browser.test.ts"];

const rows: readonly (readonly [
  name: string,
  file: string,
  find: string,
  by: string,
  tests: readonly string[],
])[] = [
  [
    "sessions of others",
    "judge-agent-call.ts",
    "if (sessionId !== undefined && !session)",
    "if (false)",
    TABS,
  ],
  [
    "unanswered calls",
    "judge-agent-call.ts",
    "(session ?? connection).pendingCalls >= MAX_PENDING_CALLS",
    "false",
    TABS,
  ],
  [
    "calls to a page of another site",
    "judge-agent-call.ts",
    "const refusal = core.judgeDocument(agentId, session.targetId);",
    "const refusal = null as string | null;",
    TABS,
  ],
  [
    "events of a page of another site",
    "may-receive.ts",
    "core.judgeDocument(agentId, targetId) === null",
    "true",
    CONTENT,
  ],
  [
    "tabs of others",
    "target-registry.ts",
    'typeof targetId === "string" && this.#owners.get(targetId) === agentId',
    'typeof targetId === "string" && agentId !== ""',
    TABS,
  ],
  [
    "the number of tabs",
    "own-tab.ts",
    "if (pages.length + core.openingTabs >= MAX_TABS)",
    "if (false)",
    TABS,
  ],
  [
    "the number of sessions",
    "agent-connection.ts",
    "if (this.sessions.size + this.pendingCalls >= MAX_SESSIONS)",
    "if (false)",
    TABS,
  ],
  [
    "a lower tier",
    "agent-connection.ts",
    "if (isLower) this.#detachAll();",
    "",
    TABS,
  ],
  [
    "entries of the history",
    "perform-call.ts",
    "if (refusal === null) connection.post(call, session);",
    "if (refusal !== undefined) connection.post(call, session);",
    TABS,
  ],
  [
    "sites that were taken back",
    "guard-core.ts",
    "if (refusal !== null) this.#empty(tabId, targetId, refusal);",
    "",
    TABS,
  ],
  [
    "a page that leaves its site",
    "guard-core.ts",
    "if (refusal !== null) this.#empty(targetId, targetId, refusal);",
    "",
    TABS,
  ],
  [
    "frames in the process of a page",
    "guard-core.ts",
    "refusal ??= judgeUrl(origin, sites, gantry());",
    "void origin;",
    CONTENT,
  ],
  [
    "nodes of the document before",
    "agent-session.ts",
    "this.#nodes.clear();",
    "",
    CONTENT,
  ],
  [
    "new targets stand still",
    "own-sessions.ts",
    "waitForDebuggerOnStart: true",
    "waitForDebuggerOnStart: false",
    TABS,
  ],
  [
    "names of methods in the audit",
    "guard-core.ts",
    "method: toLine(entry.method, MAX_METHOD_LENGTH)",
    "method: entry.method",
    SERVICE,
  ],
  [
    "agents that may do nothing",
    "create-work-browser.ts",
    'if (!hasTier(rulesOf(agentId).tier, "read"))',
    "if (false)",
    SERVICE,
  ],
];

/** The protections of the guard that depend on a browser; its judges are tested with mutants of their own. */
export const guardMutants: readonly Mutant[] = rows.map(
  ([name, file, find, by, tests]) => ({
    ...{ name: `Browser: guard: ${name}`, folder: "plugins/browser" },
    ...{ file: `src/guard/${file}`, find, by, tests },
  }),
);
