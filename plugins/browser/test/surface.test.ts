import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { errors } from "../src/errors.ts";
import browser from "../src/index.ts";

interface Document {
  paths: Record<string, Record<string, { tags?: string[] }>>;
}

test("the document has the operations of the browser and of all records", async () => {
  await using kernel = await startTestKernel([browser]);
  const { body } = await kernel.api.get<Document>("/api/openapi.json");
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes("browser"))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual([
    "DELETE /api/browser/annotations/{id}",
    "DELETE /api/browser/downloads/{id}",
    "DELETE /api/browser/history/{id}",
    "DELETE /api/browser/permissions/{id}",
    "DELETE /api/browser/tabs/{id}",
    "GET /api/browser/annotations",
    "GET /api/browser/annotations/{id}/screenshot",
    "GET /api/browser/developer/audit",
    "GET /api/browser/downloads",
    "GET /api/browser/downloads/{id}/file",
    "GET /api/browser/history",
    "GET /api/browser/permissions",
    "GET /api/browser/policies",
    "GET /api/browser/questions",
    "GET /api/browser/servers",
    "GET /api/browser/status",
    "GET /api/browser/tabs",
    "POST /api/browser/annotations",
    "POST /api/browser/annotations/send",
    "POST /api/browser/developer/audit",
    "POST /api/browser/downloads",
    "POST /api/browser/downloads/clear",
    "POST /api/browser/downloads/status",
    "POST /api/browser/history",
    "POST /api/browser/history/clear",
    "POST /api/browser/history/delete",
    "POST /api/browser/permissions",
    "POST /api/browser/permissions/clear",
    "POST /api/browser/permissions/prune",
    "POST /api/browser/questions/{id}",
    "POST /api/browser/tabs",
    "POST /api/browser/tabs/{id}/files",
    "POST /api/browser/tabs/{id}/navigate",
    "PUT /api/browser/policies/{agentId}",
  ]);
});

test("codes and statuses stay what they are", () => {
  const statuses = Object.entries(errors.definitions).map(
    ([code, { status }]) => `${status} ${code}`,
  );
  expect(statuses.sort()).toEqual([
    "403 BROWSER_AGENT_REFUSED",
    "403 BROWSER_REFUSED",
    "404 BROWSER_AGENT_NOT_FOUND",
    "404 BROWSER_ANNOTATION_NOT_FOUND",
    "404 BROWSER_DOWNLOAD_NOT_FOUND",
    "404 BROWSER_FILE_NOT_FOUND",
    "404 BROWSER_PERMISSION_NOT_FOUND",
    "404 BROWSER_QUESTION_NOT_FOUND",
    "404 BROWSER_SCREENSHOT_NOT_FOUND",
    "404 BROWSER_TAB_NOT_FOUND",
    "404 BROWSER_VISIT_NOT_FOUND",
    "409 BROWSER_LIMIT",
    "409 BROWSER_PROFILE_IN_USE",
    "409 BROWSER_QUESTION_CLOSED",
    "409 BROWSER_TAB_LIMIT",
    "502 BROWSER_FAILED",
    "502 BROWSER_GONE",
    "503 BROWSER_AGENTS_MISSING",
    "503 BROWSER_MISSING",
    "503 BROWSER_SANDBOX",
    "504 BROWSER_UNRESPONSIVE",
    "507 BROWSER_DISK_FULL",
  ]);
});
