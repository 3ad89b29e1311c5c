import {
  defineAsyncComponent,
  defineComponent,
  h,
  inject,
  type InjectionKey,
} from "vue";

/** Gives the text that is to be shown to what stands in for the parser. */
export const markdownSource: InjectionKey<() => string> = Symbol("markdown");

const PlainText = defineComponent({
  name: "PlainText",
  setup() {
    const source = inject(markdownSource);
    return () => h("p", { class: "whitespace-pre-wrap" }, source?.());
  },
});

/**
 * The body of a Markdown text. Its parser is not needed on most pages: it is fetched for the first text, which is shown
 * as it was written until then, and is there at once for all others.
 */
export default defineAsyncComponent({
  suspensible: false,
  delay: 0,
  loader: () => import("./MarkdownBody.ts"),
  loadingComponent: PlainText,
  errorComponent: PlainText,
});
