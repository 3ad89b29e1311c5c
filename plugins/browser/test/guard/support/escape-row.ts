/** What stops an attempt: a refusal by the guard, the egress, Chromium itself, or that it has no effect. */
export type Stop = "guard" | "egress" | "chromium" | "nothing";

/** One attempt to reach what an agent may not reach. */
export interface EscapeRow {
  name: string;
  method: string;
  /** `OWN_TAB` stands for the agent's tab. */
  params: Record<string, unknown>;
  level: "page" | "browser";
  /** What stops it at the tier `full`; at `act` the guard may stop it earlier. */
  by: Stop;
  /** What stops it where all public sites are allowed, if it is something else. */
  byWithAllSites?: Stop;
  /** Whether the answer may have content, as long as nothing was reached. */
  mayAnswer: boolean;
}

export const LOCAL_FILE = "file:///etc/passwd";

/** An attempt through a session of a page. */
export function page(
  method: string,
  params: Record<string, unknown>,
  by: Stop,
  mayAnswer = false,
): EscapeRow {
  return {
    name: `${method} ${JSON.stringify(params)}`.slice(0, 110),
    method,
    params,
    level: "page",
    by,
    mayAnswer,
  };
}

/** An attempt through a call to the browser. */
export function browser(
  method: string,
  params: Record<string, unknown> = {},
  by: Stop = "guard",
  mayAnswer = false,
): EscapeRow {
  return { ...page(method, params, by, mayAnswer), level: "browser" };
}
