import type { Clock, StoreOperation } from "@gantry/plugin";
import { hashSecret } from "@gantry/system/secret";
import { errors } from "./errors.ts";
import type { Engine } from "@gantry/store/engine";
import { scanPages } from "@gantry/store/scan-pages";
import type { Head } from "./request-head.ts";

const PREFIX = "kernel:idempotency:";
/** How long a key is remembered. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** What is stored for a key. `answer` is missing until the request has been answered. */
interface Claim {
  request: string;
  at: number;
  answer?: unknown;
}

/** One request under a key. */
export interface IdempotentWork {
  /** Operations to add to the first batch of the work, so that its effect and the claim of the key are one write. */
  carried: StoreOperation[];
  run(work: () => Promise<unknown>): Promise<unknown>;
}

/** Remembers answers by idempotency key. */
export interface Idempotency {
  /**
   * Claims the key of a request; `undefined` if it has none.
   *
   * @param scope Scope in which the key is unique: the operation and the caller.
   * @param body The bytes or object that must be the same when the key is repeated.
   * @throws `IDEMPOTENCY_KEY_INVALID`, `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_INTERRUPTED`
   */
  begin(
    head: Head,
    headers: readonly string[],
    scope: string,
    body: unknown,
  ): Promise<IdempotentWork | undefined>;
  prune(): Promise<void>;
}

/** Creates the idempotency keys of a store. */
export function createIdempotency(engine: Engine, clock: Clock): Idempotency {
  const atWork = new Map<string, Promise<unknown>>();

  function keyOf(head: Head, headers: readonly string[]): string | undefined {
    const name = headers.find((header) => head.header(header) !== undefined);
    if (name === undefined) return undefined;
    const key = head.header(name) ?? "";
    if (!/^[\x21-\x7e]{1,128}$/.test(key) || head.headerCount(name) > 1)
      throw errors.IDEMPOTENCY_KEY_INVALID();
    return `${name}:${key}`;
  }

  function answered(claim: Claim, request: string): unknown {
    if (claim.request !== request) throw errors.IDEMPOTENCY_KEY_REUSED();
    if (!("answer" in claim)) throw errors.IDEMPOTENCY_INTERRUPTED();
    return claim.answer;
  }

  return {
    async begin(head, headers, scope, body) {
      const given = keyOf(head, headers);
      if (given === undefined) return undefined;
      const key = PREFIX + hashSecret(`${scope}\0${given}`);
      const request = hashSecret(
        body instanceof Uint8Array
          ? Buffer.from(body).toString("latin1")
          : JSON.stringify(body ?? {}),
      );
      const claim: Claim = { request, at: clock.now() };
      const set = (value: object): StoreOperation => ({
        type: "set",
        key,
        value,
      });

      async function once(work: () => Promise<unknown>): Promise<unknown> {
        const stored = (await engine.get(key)) as Claim | undefined;
        if (stored && clock.now() - stored.at < KEPT_MS)
          return answered(stored, request);
        const answer = await work();
        await engine.commit([set({ ...claim, answer })]);
        return answer;
      }

      return {
        carried: [set(claim)],
        async run(work) {
          // The same request twice at once: the second waits for the first and then finds its answer.
          for (let other = atWork.get(key); other; other = atWork.get(key))
            await other.catch(() => {});
          const result = once(work);
          atWork.set(key, result);
          try {
            return await result;
          } finally {
            atWork.delete(key);
          }
        },
      };
    },
    async prune() {
      for await (const entries of scanPages(engine, PREFIX)) {
        const stale = entries.filter(
          (entry) => clock.now() - (entry.value as Claim).at >= KEPT_MS,
        );
        if (stale.length > 0)
          await engine.commit(
            stale.map(({ key }) => ({ type: "remove", key })),
          );
      }
    },
  };
}
