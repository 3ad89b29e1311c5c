import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { storefront } from "./storefront.ts";

/** A dev server, as an agent that works on a shop has one. */
export async function serveStorefront(): Promise<
  AsyncDisposable & { url: string }
> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(storefront);
  });
  server.listen(5173, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Opens the shop in the work browser. */
export async function openStorefront(
  page: Page,
  { base, url }: { base: string; url: string },
): Promise<void> {
  await page.goto(`${base}/browser`);
  const address = page.getByRole("combobox", { name: "Address" });
  await address.fill(url);
  await address.press("Enter");
  await page.locator("canvas.bg-white").waitFor();
  // The sharp picture of a page at rest has no event of its own here.
  await page.waitForTimeout(2_000);
}

/** Comments on two elements, and points at a third. */
export async function annotateStorefront(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Annotate" }).click();
  const layer = page.getByRole("application");
  await layer.waitFor();
  const comments = [
    { x: 0.31, y: 0.32, comment: "Green, like the header." },
    { x: 0.14, y: 0.5, comment: "Show the real picture here." },
  ];
  for (const { x, y, comment } of comments) {
    const { width, height } = (await layer.boundingBox())!;
    await layer.click({ position: { x: width * x, y: height * y } });
    await page.getByRole("textbox", { name: "Comment" }).fill(comment);
    await page.getByRole("button", { name: "Save annotation" }).click();
    await page.getByText(comment, { exact: true }).waitFor();
  }
  const { width, height } = (await layer.boundingBox())!;
  await layer.hover({ position: { x: width * 0.12, y: height * 0.17 } });
  await page.locator("[data-outline]").waitFor();
}
