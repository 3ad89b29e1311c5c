import type { Tier } from "../records/schemas.ts";

/** What a browser's owner may do at the moment of a call or of a connection. */
export interface Rules {
  tier: Tier;
  /** Where it may go, as policies list it: `example.com`, `*.example.com`, `*`, `localhost:3000`. */
  sites: readonly string[];
  /** Real path of the folder that files may be uploaded from; `null` for none. */
  folder: string | null;
}

/** Where Gantry itself is reached, which no page may open. */
export interface GantryAddress {
  ports: ReadonlySet<number>;
  /** Host names of its public address, in lower case. */
  names: ReadonlySet<string>;
}

/** `null` if something is allowed, otherwise the reason, as the end of a sentence for the user. */
export type Refusal = string | null;
