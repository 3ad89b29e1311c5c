import { hash } from "node:crypto";
import type { Clock } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { toRemoval } from "@gantry/store/engine";
import type { Engine } from "@gantry/store/engine";
import { scanPages } from "@gantry/store/scan-pages";
import { runInContext } from "@gantry/system/context/work-context";
import type { WorkUnit } from "@gantry/system/context/work-context";
import type { HttpRequest } from "./http-request.ts";
import type { RouteRecord } from "./route-table.ts";

const PREFIX = "kernel:idempotency:";
/** How long a key is remembered. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** What is stored for a key. `answer` is missing until the request has been answered. */
interface Claim {
  request: string;
  at: number;
  answer?: unknown;
}

/** Remembers answers by idempotency key. */
export type Idempotency = ReturnType<typeof createIdempotency>;

/** Makes the memory of keys on a store. */
export function createIdempotency(engine: Engine, clock: Clock) {
  const atWork = new Map<string, Promise<unknown>>();

  function answered(claim: Claim, request: string): unknown {
    if (claim.request !== request) throw errors.IDEMPOTENCY_KEY_REUSED();
    if (!("answer" in claim)) throw errors.IDEMPOTENCY_INTERRUPTED();
    return claim.answer;
  }

  /** Runs work unless it ran under this key before; while it runs, the same request waits for it and finds its answer. */
  async function once(
    key: string,
    claim: Claim,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    for (let other = atWork.get(key); other; other = atWork.get(key))
      await other.catch(() => {});
    const running = (async () => {
      const stored = (await engine.get(key)) as Claim | undefined;
      if (stored && clock.now() - stored.at < KEPT_MS)
        return answered(stored, claim.request);
      const answer = await work();
      await engine.commit([
        { type: "set", key, value: { ...claim, answer } satisfies Claim },
      ]);
      return answer;
    })();
    atWork.set(key, running);
    try {
      return await running;
    } finally {
      atWork.delete(key);
    }
  }

  return {
    /**
     * Runs the handler of an operation under the key of a request whose body was read, if it has one: the same key gives the
     * same answer, and the handler runs once. The claim of the key is a part of its first write.
     *
     * @throws `IDEMPOTENCY_KEY_INVALID`, `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_INTERRUPTED`, and what the handler throws
     */
    async run(
      { definition, owner: { plugin } }: RouteRecord,
      request: HttpRequest,
      handle: () => unknown,
    ): Promise<unknown> {
      const { method, idempotencyHeaders = [] } = definition;
      const { body, caller, path, requestId } = request;
      const given = keyOf(request, ["idempotency-key", ...idempotencyHeaders]);
      if (given === undefined) return await handle();
      // A key is unique in the operation, for who calls.
      const scope = `${method} ${path} ${caller?.sessionId ?? ""}`;
      const key = PREFIX + hash("sha256", `${scope}\0${given}`, "base64url");
      const claim: Claim = { request: digestOf(body), at: clock.now() };
      const unit: WorkUnit = { carried: [{ type: "set", key, value: claim }] };
      return await runInContext({ plugin, requestId, unit }, () =>
        once(key, claim, async () => {
          try {
            return await handle();
          } finally {
            // A write that the handler set off and did not wait for must not claim the key again, once it has its answer.
            unit.carried = undefined;
          }
        }),
      );
    },
    async prune(): Promise<void> {
      for await (const entries of scanPages(engine, PREFIX)) {
        const stale = entries.filter(
          (entry) => clock.now() - (entry.value as Claim).at >= KEPT_MS,
        );
        if (stale.length > 0)
          await engine.commit(stale.map(({ key }) => toRemoval(key)));
      }
    },
  };
}

/** The key of a request, with the header that it came in. */
function keyOf(
  request: HttpRequest,
  headers: readonly string[],
): string | undefined {
  const name = headers.find((header) => request.header(header) !== undefined);
  if (name === undefined) return undefined;
  const key = request.header(name) ?? "";
  if (!/^[\x21-\x7e]{1,128}$/.test(key) || request.headerCount(name) > 1)
    throw errors.IDEMPOTENCY_KEY_INVALID();
  return `${name}:${key}`;
}

/** Of the bytes or the object that the same key must come with again. */
function digestOf(body: unknown): string {
  const content =
    body instanceof Uint8Array
      ? Buffer.from(body).toString("latin1")
      : JSON.stringify(body ?? {});
  return hash("sha256", content, "base64url");
}
