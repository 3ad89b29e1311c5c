import { test, expect } from "vitest";
import { startTestKernel } from "@gantry/plugin-testing";
import agents from "../src/index.ts";

test("smoke", async () => {
  await using kernel = await startTestKernel([agents]);
  const made = await kernel.api.post<{ id: string }>("/api/agents", { name: "Hello", cli: "practice" });
  console.log(made.status, made.body);
  const answer = await kernel.api.post(`/api/agents/${made.body.id}/ask`, { text: "hello there [[run:echo hi]][[cost:0.5]][[reply:ok then]]" });
  console.log(answer.status, answer.body);
  console.log((await kernel.api.get(`/api/agents/${made.body.id}/messages`)).body);
  console.log((await kernel.api.get(`/api/agents/${made.body.id}`)).body);
  console.log((await kernel.api.get(`/api/agents/clis`)).body);
  console.log(JSON.stringify((await kernel.api.get(`/api/usage`)).body));
  console.log(kernel.log.slice(-10));
  expect(answer.status).toBe(200);
});
