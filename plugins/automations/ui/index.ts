import { definePluginUi } from "@gantry/ui-kit";
import { computed } from "vue";
import { searchAutomations } from "./automations/searchAutomations.ts";
import { useHomeAutomations } from "./automations/useAutomations.ts";

const newAutomation = "/automations/new";

export default definePluginUi({
  pages: [
    {
      path: "/",
      title: "Automations",
      component: () => import("./pages/AutomationsPage.vue"),
    },
    {
      path: "/new",
      title: "New automation",
      component: () => import("./pages/NewAutomationPage.vue"),
    },
    {
      path: "/describe",
      title: "Describe an automation",
      component: () => import("./pages/DescribePage.vue"),
    },
    {
      // Where the agent of a draft says that it belongs.
      path: "/:draft(drf_[a-z2-7]+)",
      title: "Describe an automation",
      component: () => import("./pages/DescribePage.vue"),
    },
    {
      path: "/week",
      title: "Week",
      component: () => import("./pages/WeekPage.vue"),
    },
    {
      path: "/:id",
      name: "automation",
      title: "Automation",
      component: () => import("./pages/AutomationPage.vue"),
    },
    {
      path: "/:id/edit",
      title: "Edit automation",
      component: () => import("./pages/EditAutomationPage.vue"),
    },
    {
      path: "/:id/duplicate",
      title: "Duplicate automation",
      component: () => import("./pages/DuplicateAutomationPage.vue"),
    },
  ],
  navigation: [
    {
      label: "Automations",
      icon: "i-lucide-calendar-clock",
      to: "/automations",
      order: 30,
      shortcut: "g u",
    },
  ],
  slots: {
    dashboard: [
      { component: () => import("./components/NextRunsCard.vue"), order: 30 },
    ],
    "dashboard.charts": [
      {
        component: () => import("./components/RunsChart.vue"),
        order: 50,
        width: "full",
      },
    ],
  },
  commands: [
    {
      id: "automations:open-week",
      label: "Week of the automations",
      icon: "i-lucide-calendar-range",
      keywords: ["calendar", "planned", "schedule", "next"],
      to: "/automations/week",
    },
    {
      id: "automations:describe-automation",
      label: "Describe an automation",
      icon: "i-lucide-wand-sparkles",
      keywords: ["draft", "words", "create", "every", "schedule"],
      to: "/automations/describe",
    },
    {
      id: "automations:create-automation",
      label: "New automation",
      icon: "i-lucide-calendar-plus",
      keywords: ["create", "schedule", "cron", "webhook", "every"],
      to: newAutomation,
      onHome: true,
    },
  ],
  firstSteps: [
    {
      id: "automations:create-automation",
      title: "Let it work by itself",
      description:
        "Give an agent the same task every morning, or whenever another tool calls.",
      icon: "i-lucide-calendar-clock",
      to: newAutomation,
      action: "New automation",
      order: 30,
      done() {
        const { items } = useHomeAutomations();
        return computed(() => items.value && items.value.length > 0);
      },
    },
  ],
  search: searchAutomations,
});
