import { expect, test } from "vitest";
import { makeApp, startApps } from "./support/apps.ts";

test("an app is listed with its plugin and its badge", async () => {
  const badge = () => Promise.resolve({ text: "3" });
  await using kernel = await startApps([makeApp({ badge })]);
  const { body } = await kernel.api.get("/api/apps");
  expect(body).toMatchObject({
    apiVersion: 1,
    items: [
      {
        id: "notes",
        name: "Notes",
        icon: "i-lucide-notebook",
        summary: "Short notes.",
        plugin: "author",
        badge: { text: "3", tone: "neutral" },
      },
    ],
  });
});
