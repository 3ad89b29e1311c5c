import { definePluginUi } from "@gantry/ui-kit";
import { computed } from "vue";
import { conditionOf, conditions } from "./agents/agentCondition.ts";
import { toNavigation } from "./agents/toNavigation.ts";
import { searchAgents } from "./agents/searchAgents.ts";
import { useOpenAgents } from "./agents/useOpenAgents.ts";
import { useRecentAgents } from "./agents/useRecentAgents.ts";

const NEW_AGENT_PATH = "/agents?new=1";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Agents",
      component: () => import("./pages/AgentsPage.vue"),
    },
    {
      path: "/:id",
      name: "agent",
      title: "Agent",
      component: () => import("./pages/AgentPage.vue"),
    },
    {
      path: "/:id/:tab",
      title: "Agent",
      component: () => import("./pages/AgentTabPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Agents",
      icon: "i-lucide-bot",
      to: "/agents",
      order: 10,
      shortcut: "g a",
      badge() {
        const agents = useOpenAgents();
        return computed(() => {
          const count =
            agents.value?.filter((agent) => conditionOf(agent) === "waiting")
              .length ?? 0;
          const label = `${count} ${count === 1 ? "needs" : "need"} input`;
          return { count, tone: "attention", label };
        });
      },
      children() {
        const open = useOpenAgents();
        const recent = useRecentAgents();
        return computed(() =>
          toNavigation(open.value ?? [], recent.value ?? []).map((agent) => {
            const { tone, label } = conditions[conditionOf(agent)];
            return {
              id: agent.id,
              label: agent.name,
              to: `/agents/${agent.id}`,
              tone,
              status: label.toLowerCase(),
            };
          }),
        );
      },
    },
  ],
  slots: {
    dashboard: [
      {
        component: () => import("./dashboard/AgentsCard.vue"),
        order: 10,
        width: "full",
      },
    ],
  },
  commands: [
    {
      id: "agents:create-agent",
      label: "New agent",
      icon: "i-lucide-plus",
      keywords: ["create", "session", "add", "start"],
      shortcut: "c",
      to: NEW_AGENT_PATH,
      onHome: true,
    },
  ],
  firstSteps: [
    {
      id: "agents:create-agent",
      title: "Create your first agent",
      description:
        "An agent works in one of your folders and keeps running when you close this page.",
      icon: "i-lucide-bot",
      to: NEW_AGENT_PATH,
      action: "New agent",
      order: 10,
      done() {
        const agents = useRecentAgents();
        return computed(() => agents.value && agents.value.length > 0);
      },
    },
  ],
  search: searchAgents,
});
