import { ToolProblem } from "./tool-problem.ts";

/**
 * Converts what an agent wrote into an address: the scheme may be missing, as in an address bar.
 *
 * @throws ToolProblem if it is not an address
 */
export function toAddress(text: string): string {
  const trimmed = text.trim();
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d+(\/|$|\?|#))/i.test(trimmed);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/i.test(trimmed);
  const url = hasScheme
    ? trimmed
    : `${isLocal ? "http" : "https"}://${trimmed}`;
  if (!URL.canParse(url))
    throw new ToolProblem(
      `"${trimmed.slice(0, 200)}" is no address; write one such as https://example.com/ or http://localhost:3000/.`,
    );
  return url;
}
