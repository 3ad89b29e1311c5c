import { expect, vi } from "vitest";
import { send } from "./api-client.ts";
import type { ApiClient } from "./api-client.ts";
import { createBrowserChanges } from "./browser-changes.ts";
import type { Change } from "./change.ts";
import type { Daemon } from "./daemon.ts";
import type { QuarantinedSnippet } from "./quarantined-snippets.ts";

/** What the changes are made to. */
export interface ChangesHost {
  daemon: Daemon;
  api: ApiClient;
  /** In the daemon's quarantine, one for each change that takes one. */
  quarantined: QuarantinedSnippet[];
}

/** All of them. The daemon is asked for when it is needed, since tests are named before it runs. */
export function createChanges(host: () => ChangesHost): Change[] {
  const post = (path: string, body: object = {}) =>
    host().api.call("POST", path, body);
  const made = async <Body = { id: string }>(path: string, body: object) => {
    const answer = await host().api.call<Body>("POST", path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const agent = () => made("/api/agents", { name: "Ada" });
  const automation = async (more: object = {}) => {
    const body = { name: "Brief", prompt: "[[reply:news]]", ...more };
    return (
      await made<{ automation: { id: string } }>("/api/automations", body)
    ).automation;
  };
  const itemsOf = async <Item = { id: string }>(path: string) =>
    (await host().api.call<{ items: Item[] }>("GET", path)).body.items;
  const item = async () => {
    const { id } = await automation();
    await made(`/api/automations/${id}/run`, {});
    return vi.waitFor(
      async () => {
        // The agent of a run that is over still has to close, which writes too.
        const runs = await itemsOf<{ finishedAt: string | null }>(
          `/api/automations/${id}/runs`,
        );
        expect(runs[0]?.finishedAt).toEqual(expect.any(String));
        expect(await itemsOf("/api/agents?state=open")).toEqual([]);
        const items = await itemsOf("/api/inbox?state=unread");
        expect(items.length).toBeGreaterThan(0);
        return items[0]!;
      },
      { interval: 50 },
    );
  };
  const pair = async () => {
    const { code } = await made<{ code: string }>("/api/auth/pairings", {});
    return () =>
      send(
        host().daemon.base,
        "POST",
        "/pair",
        { code, device: "Phone" },
        { origin: host().daemon.base },
      );
  };
  const snippet = () => made("/api/snips", { title: "Ask", body: "x" });
  const terminal = () => made("/api/terminals", { command: "sh" });
  const task = (id: string) =>
    made(`/api/agents/${id}/tasks`, { payload: { message: "x" } });

  return [
    {
      operation: "POST /pair",
      event: "auth.session-created",
      // A code is spent by the first try, whatever comes of it.
      prepare: async () => async () => (await pair())(),
    },
    {
      operation: "DELETE /api/auth/sessions/{id}",
      event: "auth.session-ended",
      async prepare() {
        const { body } = await (await pair())();
        const { id } = (body as { session: { id: string } }).session;
        return () => host().api.call("DELETE", `/api/auth/sessions/${id}`);
      },
    },
    {
      operation: "PUT /api/auth/mode",
      event: "auth.mode-changed",
      prepare: async () => () =>
        host().api.call("PUT", "/api/auth/mode", { mode: "all" }),
    },
    {
      operation: "POST /api/workspaces",
      event: "agents.workspace-added",
      prepare: async () => () =>
        post("/api/workspaces", { path: host().daemon.home }),
    },
    {
      operation: "POST /api/agents",
      event: "agents.agent-created",
      prepare: async () => () => post("/api/agents", { name: "Ada" }),
    },
    {
      operation: "PATCH /api/agents/{id}",
      event: "agents.agent-changed",
      async prepare() {
        const { id } = await agent();
        return () =>
          host().api.call("PATCH", `/api/agents/${id}`, { name: "Eve" });
      },
    },
    {
      operation: "POST /api/agents/{id}/checklist",
      event: "agents.checklist-changed",
      async prepare() {
        const { id } = await agent();
        const items = [{ text: "Look" }];
        return () => post(`/api/agents/${id}/checklist`, { items });
      },
    },
    {
      operation: "POST /api/agents/{id}/clone",
      event: "agents.agent-created",
      async prepare() {
        const { id } = await agent();
        return () => post(`/api/agents/${id}/clone`);
      },
    },
    {
      operation: "DELETE /api/agents/{id}",
      event: "agents.agent-deleted",
      async prepare() {
        const { id } = await agent();
        return () => host().api.call("DELETE", `/api/agents/${id}`);
      },
    },
    {
      // Only the agent's own stream reports its queue.
      operation: "POST /api/agents/{id}/tasks",
      event: null,
      async prepare() {
        const { id } = await agent();
        return () =>
          post(`/api/agents/${id}/tasks`, { payload: { message: "x" } });
      },
    },
    {
      operation: "DELETE /api/agents/{id}/tasks/{taskId}",
      event: null,
      async prepare() {
        const { id } = await agent();
        const { id: taskId } = await task(id);
        return () =>
          host().api.call("DELETE", `/api/agents/${id}/tasks/${taskId}`);
      },
    },
    {
      // The audit log reports it.
      operation: "POST /api/agents/{id}/trust",
      event: null,
      async prepare() {
        const { id } = await agent();
        return () => post(`/api/agents/${id}/trust`);
      },
    },
    {
      operation: "POST /api/snips",
      event: "snippets.snippet-created",
      prepare: async () => () =>
        post("/api/snips", { title: "Ask", body: "x" }),
    },
    {
      operation: "POST /api/snips/{id}/duplicate",
      event: "snippets.snippet-created",
      async prepare() {
        const { id } = await snippet();
        return () => post(`/api/snips/${id}/duplicate`);
      },
    },
    {
      operation: "PATCH /api/snips/{id}",
      event: "snippets.snippet-changed",
      async prepare() {
        const { id } = await snippet();
        return () =>
          host().api.call("PATCH", `/api/snips/${id}`, { body: "y" });
      },
    },
    {
      operation: "DELETE /api/snips/{id}",
      event: "snippets.snippet-deleted",
      async prepare() {
        const { id } = await snippet();
        return () => host().api.call("DELETE", `/api/snips/${id}`);
      },
    },
    {
      operation: "DELETE /api/doctor/quarantine/{id}",
      event: "kernel.quarantine-changed",
      async prepare() {
        const { quarantineId } = host().quarantined.shift()!;
        const path = `/api/doctor/quarantine/${quarantineId}`;
        return () => host().api.call("DELETE", path);
      },
    },
    {
      operation: "POST /api/doctor/quarantine/{id}/restore",
      event: "kernel.quarantine-changed",
      async prepare() {
        const { snippetId, quarantineId } = host().quarantined.shift()!;
        await host().api.call("DELETE", `/api/snips/${snippetId}`);
        return () => post(`/api/doctor/quarantine/${quarantineId}/restore`);
      },
    },
    {
      operation: "POST /api/terminals",
      event: "terminals.terminal-opened",
      prepare: async () => () => post("/api/terminals", { command: "sh" }),
    },
    {
      operation: "PATCH /api/terminals/{id}",
      event: "terminals.terminal-changed",
      async prepare() {
        const { id } = await terminal();
        return () =>
          host().api.call("PATCH", `/api/terminals/${id}`, { name: "build" });
      },
    },
    {
      operation: "DELETE /api/terminals/{id}",
      event: "terminals.terminal-closed",
      async prepare() {
        const { id } = await terminal();
        return () => host().api.call("DELETE", `/api/terminals/${id}`);
      },
    },
    {
      operation: "POST /api/automations",
      event: "automations.automation-created",
      prepare: async () => () =>
        post("/api/automations", { name: "Brief", prompt: "x" }),
    },
    {
      operation: "PATCH /api/automations/{id}",
      event: "automations.automation-changed",
      async prepare() {
        const { id } = await automation();
        const path = `/api/automations/${id}`;
        return () => host().api.call("PATCH", path, { prompt: "y" });
      },
    },
    {
      operation: "DELETE /api/automations/{id}",
      event: "automations.automation-deleted",
      async prepare() {
        const { id } = await automation();
        return () => host().api.call("DELETE", `/api/automations/${id}`);
      },
    },
    {
      operation: "POST /api/automations/{id}/secret",
      event: "automations.automation-changed",
      async prepare() {
        const { id } = await automation({ webhook: true });
        return () => post(`/api/automations/${id}/secret`);
      },
    },
    {
      operation: "POST /api/automations/{id}/run",
      event: "automations.run-started",
      async prepare() {
        const { id } = await automation();
        return () => post(`/api/automations/${id}/run`);
      },
    },
    {
      operation: "PUT /api/automations/spending",
      event: "automations.spending-changed",
      prepare: async () => () =>
        host().api.call("PUT", "/api/automations/spending", {
          maxDailyUsd: 50,
          maxWeeklyUsd: null,
        }),
    },
    {
      operation: "PUT /api/apps/order",
      event: "apps.list-changed",
      prepare: async () => () =>
        host().api.call("PUT", "/api/apps/order", { ids: ["logs"] }),
    },
    {
      operation: "PUT /api/backup",
      event: "backup.settings-changed",
      prepare: async () => () =>
        host().api.call("PUT", "/api/backup", { keepDays: 9 }),
    },
    {
      operation: "POST /api/inbox/{id}/state",
      event: "inbox.item-changed",
      async prepare() {
        const { id } = await item();
        return () => post(`/api/inbox/${id}/state`, { state: "read" });
      },
    },
    {
      operation: "DELETE /api/inbox/{id}",
      event: "inbox.item-removed",
      async prepare() {
        const { id } = await item();
        return () => host().api.call("DELETE", `/api/inbox/${id}`);
      },
    },
    ...createBrowserChanges({
      ...{ made, agent },
      call: (method, path, body) => host().api.call(method, path, body),
    }),
  ];
}
