import { Marked, type Token } from "marked";
import { defineComponent, h, withMemo, type VNode } from "vue";
import { renderHeading, renderToken } from "./renderTokens.ts";

/** Renders Markdown. Blocks that did not change are left alone, so that a text can grow while it is read and selected. */
export default defineComponent({
  name: "MarkdownBody",
  props: {
    source: { type: String, required: true },
    /** Level of the first heading; those of a text go below those of the page. */
    level: { type: Number, default: 3 },
  },
  setup(props) {
    const parser = new Marked({ gfm: true, breaks: false });
    const cache: VNode[] = [];
    return () => {
      const tokens = parser.lexer(props.source);
      // A definition further down changes what a link further up means.
      const definitions = Object.keys(tokens.links).length;
      cache.length = Math.min(cache.length, tokens.length);
      let last = props.level - 1;
      return tokens.map((token, index) => {
        // Whatever marks a text has, no level of the page is left out.
        const level = isHeading(token)
          ? Math.min(6, props.level + token.depth - 1, last + 1)
          : undefined;
        last = level ?? last;
        return withMemo(
          [token.type, token.raw, definitions, level],
          () =>
            h("div", { key: index, class: "kit-block" }, [
              isHeading(token) && level !== undefined
                ? renderHeading(token, level)
                : renderToken(token),
            ]),
          cache,
          index,
        );
      });
    };
  },
});

function isHeading(
  token: Token,
): token is Token & Parameters<typeof renderHeading>[0] {
  return token.type === "heading";
}
