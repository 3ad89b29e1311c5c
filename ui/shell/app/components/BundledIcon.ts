import { Icon } from "@iconify/vue/offline";
import { computed, defineComponent, h } from "vue";

/** Shows an icon that was bundled or that a plugin added, as an inline picture. Nuxt UI's `UIcon` is made of it. */
export default defineComponent({
  name: "BundledIcon",
  props: {
    name: { type: String, required: true },
    size: { type: [String, Number], default: undefined },
  },
  setup(props) {
    const icon = computed(() => toIconifyName(props.name));
    const style = computed(() => {
      if (props.size === undefined) return undefined;
      return {
        fontSize: Number.isNaN(Number(props.size))
          ? String(props.size)
          : `${props.size}px`,
      };
    });
    return () =>
      h(Icon, { icon: icon.value, style: style.value, "aria-hidden": "true" });
  },
});

/** `i-lucide-x` is `lucide:x`: the name of a collection is one word. */
function toIconifyName(name: string): string {
  const bare = name.replace(/^i[-:]/, "");
  return bare.includes(":") ? bare : bare.replace("-", ":");
}
