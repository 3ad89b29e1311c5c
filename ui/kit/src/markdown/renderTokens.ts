import type { Token, Tokens } from "marked";
import { h, type VNodeChild } from "vue";
import CodeBlock from "../components/CodeBlock.vue";
import { breakLongWords } from "./breakLongWords.ts";
import { decodeEntities } from "./decodeEntities.ts";
import { toSafeImage, toSafeLink } from "./safeUrl.ts";

type Render = (token: Token) => VNodeChild;

/** Each block has the direction of its own first letter. */
const dir = "auto";

/**
 * Turns Markdown tokens into elements. Only what is listed here becomes an element; HTML in the text is shown as the text
 * that it is. Nothing is ever parsed as HTML.
 */
export function renderTokens(
  tokens: readonly Token[] | undefined,
): VNodeChild[] {
  return (tokens ?? []).map(renderToken);
}

/** The same for a single token. */
export function renderToken(token: Token): VNodeChild {
  const render = Object.hasOwn(renderers, token.type)
    ? renderers[token.type]
    : undefined;
  return render ? render(token) : breakLongWords(token.raw);
}

/** Shows a heading of a text as one of this level of the page. */
export function renderHeading(
  token: Pick<Tokens.Heading, "depth" | "tokens">,
  level: number,
): VNodeChild {
  return h(
    `h${level}`,
    { dir, "data-depth": token.depth },
    renderTokens(token.tokens),
  );
}

/** Declares a renderer for one kind of token; the lexer gives each kind its own shape. */
function as<Kind>(render: (token: Kind) => VNodeChild): Render {
  return (token) => render(token as Kind);
}

const renderers: Readonly<Record<string, Render>> = {
  space: () => null,
  def: () => null,
  hr: () => h("hr"),
  br: () => h("br"),
  paragraph: as<Tokens.Paragraph>((token) =>
    h("p", { dir }, renderTokens(token.tokens)),
  ),
  heading: as<Tokens.Heading>((token) =>
    renderHeading(token, Math.min(6, token.depth + 2)),
  ),
  blockquote: as<Tokens.Blockquote>((token) =>
    h("blockquote", { dir }, renderTokens(token.tokens)),
  ),
  code: as<Tokens.Code>((token) =>
    h(CodeBlock, { code: token.text, language: token.lang?.split(/\s/)[0] }),
  ),
  list: as<Tokens.List>((token) =>
    h(
      token.ordered ? "ol" : "ul",
      {
        dir,
        start: token.ordered && token.start !== 1 ? token.start : undefined,
      },
      token.items.map((item) =>
        h(
          "li",
          { class: item.task ? "kit-task" : undefined },
          renderItem(item),
        ),
      ),
    ),
  ),
  checkbox: as<Tokens.Checkbox>((token) => renderCheckbox(token.checked)),
  table: as<Tokens.Table>((token) =>
    h(
      "div",
      { class: "kit-table", tabindex: 0, role: "group", "aria-label": "Table" },
      [
        h("table", [
          h(
            "thead",
            h(
              "tr",
              token.header.map((cell) => renderCell("th", cell)),
            ),
          ),
          h(
            "tbody",
            token.rows.map((row) =>
              h(
                "tr",
                row.map((cell) => renderCell("td", cell)),
              ),
            ),
          ),
        ]),
      ],
    ),
  ),
  text: as<Tokens.Text>((token) =>
    token.tokens
      ? renderTokens(token.tokens)
      : breakLongWords(decodeEntities(token.text)),
  ),
  escape: as<Tokens.Escape>((token) => decodeEntities(token.text)),
  strong: as<Tokens.Strong>((token) => h("strong", renderTokens(token.tokens))),
  em: as<Tokens.Em>((token) => h("em", renderTokens(token.tokens))),
  del: as<Tokens.Del>((token) => h("del", renderTokens(token.tokens))),
  codespan: as<Tokens.Codespan>((token) => h("code", token.text)),
  link: as<Tokens.Link>((token) => {
    const href = toSafeLink(token.href);
    const content = renderTokens(token.tokens);
    if (href === undefined) return h("span", { title: token.href }, content);
    return h(
      "a",
      {
        href,
        title: token.title ?? undefined,
        target: "_blank",
        rel: "noopener noreferrer nofollow",
      },
      content,
    );
  }),
  image: as<Tokens.Image>((token) => {
    const source = toSafeImage(token.href);
    if (source !== undefined)
      return h("img", { src: source, alt: token.text, loading: "lazy" });
    const href = toSafeLink(token.href);
    const label = token.text || "picture";
    return href
      ? h(
          "a",
          { href, target: "_blank", rel: "noopener noreferrer nofollow" },
          label,
        )
      : label;
  }),
};

function renderItem(item: Tokens.ListItem): VNodeChild[] {
  const marked = item.tokens.some((token) => token.type === "checkbox");
  return [
    item.task && !marked ? renderCheckbox(item.checked ?? false) : null,
    ...renderTokens(item.tokens),
  ];
}

function renderCheckbox(checked: boolean): VNodeChild {
  return h("input", {
    type: "checkbox",
    checked,
    disabled: true,
    "aria-label": checked ? "done" : "to do",
  });
}

function renderCell(element: "th" | "td", cell: Tokens.TableCell): VNodeChild {
  return h(
    element,
    { dir, style: cell.align ? { textAlign: cell.align } : undefined },
    renderTokens(cell.tokens),
  );
}
