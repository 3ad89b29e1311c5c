import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const DOWNLOAD_BYTES = 200_000_000;
const PARAGRAPHS = 2_000;

/** A click anywhere changes the colour of the whole page. */
const BUTTON_PAGE = `<!doctype html><title>Button</title>
<body style="margin:0;height:100vh;background:#fff">
<script>addEventListener("mousedown", () => { document.body.style.background = document.body.style.background === "rgb(0, 0, 0)" ? "#fff" : "#000" })</script>`;

/** Long enough to be scrolled for seconds. */
const LONG_PAGE = `<!doctype html><title>Long</title><body>${"<p>The quick brown fox jumps over the lazy dog. ".repeat(PARAGRAPHS)}`;

/** Reads a large answer; its title is then how many MB a second came. */
const READING_PAGE = `<!doctype html><title>Reading</title><body>
<script>
(async () => {
  const begin = performance.now();
  let bytes = 0;
  const reader = (await fetch("/large")).body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  document.title = (bytes / 1000 / (performance.now() - begin)).toFixed(1);
  document.body.textContent = document.title;
})();
</script>`;

const PAGES: Readonly<Record<string, string>> = {
  "/button": BUTTON_PAGE,
  "/long": LONG_PAGE,
  "/reading": READING_PAGE,
};

/** Serves the pages that are measured. */
export async function serveSite(): Promise<AsyncDisposable & { url: string }> {
  const piece = Buffer.alloc(1_000_000, "x");
  const server = createServer(async (request, response) => {
    const page = PAGES[request.url ?? ""];
    if (page !== undefined)
      return response.setHeader("content-type", "text/html").end(page);
    if (request.url !== "/large") return response.writeHead(404).end();
    response.on("error", () => {});
    for (let sent = 0; sent < DOWNLOAD_BYTES; sent += piece.length)
      if (!response.write(piece))
        await new Promise((resolve) => response.once("drain", resolve));
    return response.end();
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve()),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
