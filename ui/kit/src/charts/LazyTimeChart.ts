import { defineAsyncComponent } from "vue";
import ChartBones from "./ChartBones.vue";

/** The chart with the library that lays it out. Most pages have none: it is fetched for the first one. */
export default defineAsyncComponent({
  suspensible: false,
  delay: 0,
  loader: () => import("./TimeChartView.vue"),
  loadingComponent: ChartBones,
});
