import type { Browser, BrowserContext, Page } from "playwright-core";
import type { World } from "./world.ts";

/** A browser in which the user is paired, what it asked the daemon, and what it was answered as far as that is known. */
export async function openPaired(
  browser: Browser,
  { host, cookie }: World,
): Promise<{
  context: BrowserContext;
  page: Page;
  asked: string[];
  statuses: number[];
}> {
  const context = await browser.newContext();
  await context.addCookies([
    {
      name: "gantry_session",
      value: cookie.split("=")[1] ?? "",
      domain: "gantry.localhost",
      path: "/",
      httpOnly: true,
      sameSite: "Strict",
    },
  ]);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const asked: string[] = [];
  const statuses: number[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).host === host) asked.push(request.url());
  });
  context.on("response", (response) => {
    if (new URL(response.url()).host === host) statuses.push(response.status());
  });
  return { context, page, asked, statuses };
}
