import type { Page, Request } from "playwright-core";
import { onTestFailed } from "vitest";

const MAX_REQUESTS = 12;
const MAX_TEXT_LENGTH = 600;

/**
 * Lets a test that fails say where its page stood then: its address, what it asked the daemon for last, and its words.
 * What fails once in a hundred runs is not there to be looked at afterwards.
 */
export function explainFailure(page: Page): void {
  const requests: Request[] = [];
  page.on("request", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/api/")) return;
    requests.push(request);
    if (requests.length > MAX_REQUESTS) requests.shift();
  });
  try {
    onTestFailed(async ({ task }) => {
      const explanation = page.isClosed()
        ? undefined
        : await describe(page, requests).catch(() => undefined);
      for (const error of task.result?.errors ?? []) {
        if (!explanation) continue;
        const { message } = error;
        error.message = `${message}\n${explanation}`;
        error.stack = error.stack?.replace(message, () => error.message);
      }
    });
  } catch {
    // A page that is opened for all tests of a file belongs to none of them.
  }
}

async function describe(
  page: Page,
  requests: readonly Request[],
): Promise<string> {
  const answers = await Promise.all(requests.map(describeRequest));
  const text = await page.locator("body").innerText({ timeout: 2_000 });
  return [
    `The page: ${page.url()}`,
    `Asked for last: ${answers.join(", ")}`,
    `It says: ${text.replace(/\s+/g, " ").slice(0, MAX_TEXT_LENGTH)}`,
  ].join("\n");
}

async function describeRequest(request: Request): Promise<string> {
  const { pathname } = new URL(request.url());
  // An answer that has not begun may never come.
  const hasBegun = request.timing().responseStart >= 0;
  const status = hasBegun ? (await request.response())?.status() : undefined;
  const failure = request.failure()?.errorText;
  return `${request.method()} ${pathname} ${failure ?? status ?? "waits"}`;
}
