import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import browser from "../src/index.ts";

interface Document {
  paths: Record<string, Record<string, { tags?: string[] }>>;
}

test("the document has the twenty operations of the records", async () => {
  await using kernel = await startTestKernel([browser]);
  const { body } = await kernel.api.get<Document>("/api/openapi.json");
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes("browser"))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations).toEqual(
    expect.arrayContaining([
      "GET /api/browser/annotations",
      "POST /api/browser/annotations",
      "DELETE /api/browser/annotations/{id}",
      "GET /api/browser/developer/audit",
      "GET /api/browser/downloads",
      "POST /api/browser/downloads",
      "POST /api/browser/downloads/clear",
      "POST /api/browser/downloads/status",
      "DELETE /api/browser/downloads/{id}",
      "GET /api/browser/history",
      "POST /api/browser/history",
      "POST /api/browser/history/clear",
      "POST /api/browser/history/delete",
      "DELETE /api/browser/history/{id}",
      "GET /api/browser/permissions",
      "POST /api/browser/permissions",
      "POST /api/browser/permissions/clear",
      "POST /api/browser/permissions/prune",
      "DELETE /api/browser/permissions/{id}",
      "GET /api/browser/policies",
    ]),
  );
});
