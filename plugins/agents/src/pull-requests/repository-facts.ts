import type { Clock } from "@gantry/plugin";
import * as z from "zod";
import { parseJson, type Gh } from "./gh.ts";
import { hostOf, toPlace } from "./place.ts";

const FRESH_MS = 10 * 60_000;
/** Short, because there is an answer without them too. */
const TIMEOUT_MS = 5000;
const MAX_KEPT = 50;

/** What `gh repo view --json` gives, as far as it is asked for. */
const ghRepository = z.object({
  nameWithOwner: z.string(),
  parent: z
    .object({ name: z.string(), owner: z.object({ login: z.string() }) })
    .nullish(),
  defaultBranchRef: z.object({ name: z.string() }).nullish(),
});

/** What GitHub knows of a repository. */
export interface RepositoryFacts {
  /** As it is called now; an earlier name still leads to it. */
  place: string;
  /** The one that it is a fork of. */
  parent: string | undefined;
  defaultBranch: string | undefined;
}

/** Asks GitHub about repositories, and keeps what it said for a while. */
export class RepositoryBook {
  readonly #gh: Gh;
  readonly #clock: Clock;
  readonly #known = new Map<string, { facts: RepositoryFacts; at: number }>();

  constructor(gh: Gh, clock: Clock) {
    this.#gh = gh;
    this.#clock = clock;
  }

  /** `undefined` where GitHub cannot be asked. */
  async find(place: string): Promise<RepositoryFacts | undefined> {
    const known = this.#known.get(place);
    if (known && this.#clock.monotonic() - known.at < FRESH_MS)
      return known.facts;
    const facts = await this.#ask(place);
    if (!facts) return undefined;
    this.#known.delete(place);
    this.#known.set(place, { facts, at: this.#clock.monotonic() });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_KEPT)
      this.#known.delete(oldest);
    return facts;
  }

  async #ask(place: string): Promise<RepositoryFacts | undefined> {
    const fields = Object.keys(ghRepository.shape).join(",");
    const result = await this.#gh
      .ask(["repo", "view", place, `--json=${fields}`], {
        timeoutMs: TIMEOUT_MS,
      })
      // Without `gh`, or without a network, the remotes here tell enough.
      .catch(() => undefined);
    const said = ghRepository.safeParse(parseJson(result?.stdout ?? ""));
    if (result?.code !== 0 || !said.success) return undefined;
    const { nameWithOwner, parent, defaultBranchRef } = said.data;
    const start = `https://${hostOf(place)}`;
    return {
      place: toPlace(`${start}/${nameWithOwner}`) ?? place,
      parent: parent
        ? toPlace(`${start}/${parent.owner.login}/${parent.name}`)
        : undefined,
      defaultBranch: defaultBranchRef?.name,
    };
  }
}
