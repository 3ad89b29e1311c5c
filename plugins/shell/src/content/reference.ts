import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileContent, textContent } from "@gantry/plugin";
import type { ContentDefinition } from "@gantry/plugin";

/** Keeps the zod in Scalar's bundle from testing whether it may compile strings to code: the policy forbids and reports it. */
const NO_CODE = "globalThis.__zod_globalConfig = { jitless: true };";

/** Renders the OpenAPI document with Scalar. Everything is loaded from the daemon itself. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
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

/** Policies of Scalar and what is bundled with it. */
const TRUSTED_TYPES = ["vue"];

/** Creates the content of `/docs`. Like the document that it renders, it needs a session. */
export function createReference(): ContentDefinition[] {
  return [
    {
      path: "/docs",
      access: "session",
      trustedTypes: TRUSTED_TYPES,
      handle: () => textContent("text/html; charset=utf-8", PAGE),
    },
    {
      path: "/docs/start.js",
      access: "session",
      handle: () => textContent("text/javascript; charset=utf-8", START),
    },
    {
      path: "/docs/standalone.js",
      access: "session",
      handle: () => fileContent(scalarFolder(), "/standalone.js"),
    },
  ];
}

/** Scalar's package does not export the browser bundle, but it is beside the main file. */
function scalarFolder(): string {
  const main = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return join(dirname(main), "browser");
}
