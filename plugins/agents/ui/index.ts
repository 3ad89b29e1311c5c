import { definePluginUi } from "@gantry/ui-kit";
import { computed, watch } from "vue";
import { conditionOf, conditions } from "./agents/agentCondition.ts";
import { toNavigation } from "./agents/toNavigation.ts";
import { searchAgents } from "./agents/searchAgents.ts";
import { useOpenAgents } from "./agents/useOpenAgents.ts";
import { useRecentAgents } from "./agents/useRecentAgents.ts";
import { loadAgentPage, preloadAgentPage } from "./pages/agentPage.ts";
import { panes } from "./workspace/panes.ts";

const newAgent = "/agents?new=1";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Agents",
      component: () => import("./pages/AgentsPage.vue"),
    },
    {
      path: `/:id/:pane(${panes.map(({ id }) => id).join("|")})?`,
      name: "agent",
      title: "Agent",
      component: loadAgentPage,
      keep: true,
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
          return { count, tone: "attention", label: `${count} waiting` };
        });
      },
      children() {
        const open = useOpenAgents();
        const recent = useRecentAgents();
        watch(
          () => Boolean(open.value?.length || recent.value?.length),
          (hasAgents) => {
            if (hasAgents) preloadAgentPage();
          },
          { immediate: true },
        );
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
        component: () => import("./dashboard/AgentsAtWork.vue"),
        order: 10,
        width: "full",
      },
      { component: () => import("./dashboard/SpendingCard.vue"), order: 40 },
    ],
    "dashboard.charts": [
      {
        component: () => import("./dashboard/AgentCharts.vue"),
        order: 10,
        width: "full",
      },
      {
        component: () => import("./dashboard/UsageTables.vue"),
        order: 60,
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
      to: newAgent,
      onHome: true,
    },
  ],
  firstSteps: [
    {
      id: "agents:create-agent",
      title: "Make your first agent",
      description:
        "It works in a folder of yours, answers here, and continues while this page is closed.",
      icon: "i-lucide-bot",
      to: newAgent,
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
