import { isDeeperThan } from "@gantry/plugin";

/** Nothing that is written here, and no `config.json`, is nested so deep. */
const MAX_DEPTH = 1000;
/** What is shorter is parsed in milliseconds, however deep it is nested. */
const MAX_UNCHECKED_CHARACTERS = 8 * 1024;

/**
 * Parses JSON that others may have written. `JSON.parse` takes 3 seconds for a million levels, in which the daemon answers
 * no request.
 *
 * @throws SyntaxError for what is no JSON, TypeError for what is nested more than 1000 levels deep
 */
export function parseShallow(text: string): unknown {
  expectShallow(text);
  return JSON.parse(text);
}

/** @throws TypeError for JSON that is nested more than 1000 levels deep */
export function expectShallow(text: string): void {
  if (text.length > MAX_UNCHECKED_CHARACTERS && isDeeperThan(MAX_DEPTH, text))
    throw new TypeError("it is nested too deep");
}
