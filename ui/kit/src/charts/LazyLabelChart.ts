import { defineAsyncComponent } from "vue";
import ChartBones from "./ChartBones.vue";

/** Fetched for the first chart of this kind: most pages have none. */
export default defineAsyncComponent({
  suspensible: false,
  delay: 0,
  loader: () => import("./LabelChartView.vue"),
  loadingComponent: ChartBones,
});
