import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { HTTPResponse } from "h3";
import type { HandlerDefinition, PluginContext } from "@gantry/plugin";
import { renderPolicy } from "../content-security-policy.ts";
import { serveFrom } from "../static-folder.ts";

/** Keeps the zod in Scalar's bundle from trying whether it may make code of strings: it may not, and that is reported. */
const NO_CODE = "globalThis.__zod_globalConfig = { jitless: true };";

/** The reference for people, drawn by Scalar from our own document; nothing of it comes from elsewhere. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<title>Gantry HTTP API</title>
</head>
<body>
<div id="reference"></div>
<script>${NO_CODE}</script>
<script src="/docs/standalone.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `Scalar.createApiReference("#reference", {
  url: "/api/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;

/** Those of Scalar and what is bundled with it. */
const TRUSTED_TYPES = ["vue"];

/** Adds `/docs`. Like the document that it shows, it needs a session. */
export function addReferencePage(ctx: PluginContext): void {
  const add = (path: string, handle: HandlerDefinition["handle"]) =>
    ctx.handler({
      path,
      summary: "The reference of the API",
      access: "session",
      methods: ["GET"],
      handle,
    });
  const text = (
    content: string,
    type: string,
    headers: Record<string, string> = {},
  ) =>
    new HTTPResponse(content, {
      headers: {
        "content-type": `${type}; charset=utf-8`,
        "cache-control": "no-cache",
        ...headers,
      },
    });

  add("/docs", () =>
    text(PAGE, "text/html", {
      "content-security-policy": renderPolicy(PAGE, TRUSTED_TYPES),
    }),
  );
  add("/docs/start.js", () => text(START, "text/javascript"));
  add("/docs/standalone.js", (event) =>
    serveFrom(scalarFolder(), "/standalone.js", event, { immutable: false }),
  );
}

/** Its package names no file of this folder among its exports, but its main file is beside it. */
function scalarFolder(): string {
  const main = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return join(dirname(main), "browser");
}
