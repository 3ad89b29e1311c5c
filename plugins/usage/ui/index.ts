import { definePluginUi } from "@gantry/ui-kit";

export default definePluginUi({
  slots: {
    dashboard: [
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
});
