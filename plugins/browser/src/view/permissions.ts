import { randomBytes } from "node:crypto";
import type { Clock } from "@gantry/plugin";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { Permissions as PermissionRecords } from "../records/permissions.ts";
import { PERMISSION_KINDS, toPermissionScript } from "./permission-script.ts";
import type { PermissionKind } from "./permission-script.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

/** A question without an answer is denied once after this time. */
const QUESTION_MS = 60_000;
const MAX_QUESTIONS = 10;
const MAX_KEPT_LOGS = 200;

/** Dependencies of {@link SitePermissions}. */
export interface SitePermissionsOptions {
  session: TabSession;
  clock: Clock;
  records: Pick<PermissionRecords, "find" | "put">;
  /** Origin of the current page; `null` if it cannot have permissions. */
  origin(): string | null;
  /** Whether the tab has a viewer that can be asked. */
  canAsk(): boolean;
  ask(question: { id: string; origin: string; kind: string }): void;
  /** Applies a decision in the browser. */
  apply(origin: string, kind: string, isAllowed: boolean): Promise<void>;
  onFault(error: unknown): void;
}

interface Question {
  origin: string;
  kind: PermissionKind;
  answer(decision: "allow" | "deny" | null): void;
}

/** Asks the user when a page requests the location, the camera and the like. */
export class SitePermissions implements TabPart {
  readonly #options: SitePermissionsOptions;
  readonly #names = {
    ask: `ask${randomBytes(8).toString("hex")}`,
    answer: `answer${randomBytes(8).toString("hex")}`,
  };
  readonly #questions = new Map<string, Question>();
  #logCount = 0;

  constructor(options: SitePermissionsOptions) {
    this.#options = options;
  }

  /** Installs the wrapper. All calls are sent at once, since a paused page may not answer any of them. */
  async prepare(): Promise<void> {
    const { session } = this.#options;
    await Promise.all([
      // Without it new documents have no bindings.
      session.call("Runtime.enable"),
      session.call("Runtime.addBinding", { name: this.#names.ask }),
      session.call("Page.addScriptToEvaluateOnNewDocument", {
        source: toPermissionScript(this.#names),
        runImmediately: true,
      }),
    ]);
  }

  take({ method, params }: ProtocolEvent): void {
    if (method === "Runtime.consoleAPICalled") this.#logged();
    if (method !== "Runtime.bindingCalled" || params.name !== this.#names.ask)
      return;
    const { onFault } = this.#options;
    this.#asked(params).catch(onFault);
  }

  answer(id: string, decision: "allow" | "deny"): void {
    this.#questions.get(id)?.answer(decision);
  }

  close(): void {
    for (const question of this.#questions.values()) question.answer(null);
  }

  /** Chromium keeps objects that a page logs until we release them. */
  #logged(): void {
    if (++this.#logCount % MAX_KEPT_LOGS !== 0) return;
    const { session } = this.#options;
    session.post("Runtime.releaseObjectGroup", { objectGroup: "console" });
    session.post("Runtime.discardConsoleEntries");
  }

  async #asked(params: Record<string, unknown>): Promise<void> {
    const { session, origin } = this.#options;
    const call = readCall(params.payload);
    const asker = origin();
    if (!call) return;
    if (asker !== null)
      for (const kind of call.kinds) await this.#decide(asker, kind);
    // Only now does the page's own call continue and receive Chromium's answer.
    session.post("Runtime.evaluate", {
      expression: `globalThis[${JSON.stringify(this.#names.answer)}]?.(${JSON.stringify(call.id)})`,
      contextId: params.executionContextId,
    });
  }

  async #decide(origin: string, kind: PermissionKind): Promise<void> {
    const { records, apply } = this.#options;
    const known = await records.find(origin, kind);
    let decision = known?.decision ?? null;
    if (decision === null) {
      decision = await this.#askUser(origin, kind);
      if (decision !== null) await records.put({ origin, kind, decision });
    }
    await apply(origin, kind, decision === "allow");
  }

  #askUser(
    origin: string,
    kind: PermissionKind,
  ): Promise<"allow" | "deny" | null> {
    const { canAsk, clock, ask } = this.#options;
    if (!canAsk() || this.#questions.size >= MAX_QUESTIONS)
      return Promise.resolve(null);
    const id = randomBytes(8).toString("hex");
    return new Promise((resolve) => {
      const answer = (decision: "allow" | "deny" | null) => {
        stopTimer();
        this.#questions.delete(id);
        resolve(decision);
      };
      const stopTimer = clock.after(QUESTION_MS, () => answer(null));
      this.#questions.set(id, { origin, kind, answer });
      ask({ id, origin, kind });
    });
  }
}

/** A page can call our function with any argument. */
function readCall(
  payload: unknown,
): { id: string; kinds: PermissionKind[] } | undefined {
  try {
    const { id, kinds } = JSON.parse(String(payload)) as {
      id?: unknown;
      kinds?: unknown;
    };
    if (typeof id !== "string" || id.length > 20 || !Array.isArray(kinds))
      return undefined;
    return {
      id,
      kinds: PERMISSION_KINDS.filter((kind) => kinds.includes(kind)),
    };
  } catch {
    return undefined;
  }
}
