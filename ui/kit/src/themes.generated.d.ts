// Made by `pnpm theme-types` of the shell from Nuxt UI and its settings there.
declare module "#build/ui/accordion" {
  const theme: { slots: { root: string; item: string; header: string; trigger: string; content: string; body: string; leadingIcon: string; trailingIcon: string; label: string; }; variants: { disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/alert" {
  const theme: { slots: { root: string; wrapper: string; title: string; description: string; icon: string; avatar: string; avatarSize: string; actions: string; close: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "solid": string; "outline": string; "soft": string; "subtle": string; }; orientation: { "horizontal": string; "vertical": string; }; title: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/avatar" {
  const theme: { slots: { root: string; image: string; fallback: string; icon: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "3xs": string; "2xs": string; "xs": string; "sm": string; "md": string; "lg": string; "xl": string; "2xl": string; "3xl": string; }; } };
  export default theme;
}
declare module "#build/ui/badge" {
  const theme: { slots: { base: string; label: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailingIcon: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "solid": string; "outline": string; "soft": string; "subtle": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; square: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/breadcrumb" {
  const theme: { slots: { root: string; list: string; item: string; link: string; linkLeadingIcon: string; linkLeadingAvatar: string; linkLeadingAvatarSize: string; linkLabel: string; separator: string; separatorIcon: string; }; variants: { active: { "true": string; "false": string; }; disabled: { "true": string; }; to: { "true": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; } };
  export default theme;
}
declare module "#build/ui/button" {
  const theme: { slots: { base: string; label: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailingIcon: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "solid": string; "outline": string; "soft": string; "subtle": string; "ghost": string; "link": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; block: { "true": string; }; square: { "true": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; active: { "true": string; "false": string; }; } };
  export default theme;
}
declare module "#build/ui/card" {
  const theme: { slots: { root: string; header: string; title: string; description: string; body: string; footer: string; }; variants: { variant: { "solid": string; "outline": string; "soft": string; "subtle": string; }; } };
  export default theme;
}
declare module "#build/ui/checkbox" {
  const theme: { slots: { root: string; container: string; base: string; indicator: string; icon: string; wrapper: string; label: string; description: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "list": string; "card": string; }; indicator: { "start": string; "end": string; "hidden": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; required: { "true": string; }; disabled: { "true": string; }; highlight: { "true": string; "false": string; }; checked: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/checkbox-group" {
  const theme: { slots: { root: string; fieldset: string; legend: string; item: string; }; variants: { orientation: { "horizontal": string; "vertical": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "list": string; "card": string; "table": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; required: { "true": string; }; highlight: { "true": string; "false": string; }; disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/chip" {
  const theme: { slots: { root: string; base: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "3xs": string; "2xs": string; "xs": string; "sm": string; "md": string; "lg": string; "xl": string; "2xl": string; "3xl": string; }; position: { "top-right": string; "bottom-right": string; "top-left": string; "bottom-left": string; }; inset: { "false": string; }; standalone: { "false": string; }; } };
  export default theme;
}
declare module "#build/ui/collapsible" {
  const theme: { slots: { root: string; content: string; }; variants: {  } };
  export default theme;
}
declare module "#build/ui/command-palette" {
  const theme: { slots: { root: string; input: string; close: string; back: string; content: string; footer: string; viewport: string; group: string; empty: string; label: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemLeadingChip: string; itemLeadingChipSize: string; itemTrailing: string; itemTrailingIcon: string; itemTrailingHighlightedIcon: string; itemTrailingKbds: string; itemTrailingKbdsSize: string; itemWrapper: string; itemLabel: string; itemLabelBase: string; itemLabelPrefix: string; itemLabelSuffix: string; itemDescription: string; }; variants: { virtualize: { "true": string; "false": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; active: { "true": string; "false": string; }; loading: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/context-menu" {
  const theme: { slots: { content: string; viewport: string; group: string; label: string; separator: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemTrailing: string; itemTrailingIcon: string; itemTrailingKbds: string; itemTrailingKbdsSize: string; itemWrapper: string; itemLabel: string; itemDescription: string; itemLabelExternalIcon: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; active: { "true": string; "false": string; }; loading: { "true": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; } };
  export default theme;
}
declare module "#build/ui/drawer" {
  const theme: { slots: { overlay: string; content: string; handle: string; container: string; header: string; wrapper: string; title: string; description: string; actions: string; body: string; footer: string; close: string; }; variants: { direction: { "top": string; "right": string; "bottom": string; "left": string; }; inset: { "true": string; }; snapPoints: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/dropdown-menu" {
  const theme: { slots: { content: string; input: string; empty: string; viewport: string; arrow: string; group: string; label: string; separator: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemTrailing: string; itemTrailingIcon: string; itemTrailingKbds: string; itemTrailingKbdsSize: string; itemWrapper: string; itemLabel: string; itemDescription: string; itemLabelExternalIcon: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; active: { "true": string; "false": string; }; loading: { "true": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; } };
  export default theme;
}
declare module "#build/ui/field-group" {
  const theme: { slots: {  }; variants: { size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; orientation: { "horizontal": string; "vertical": string; }; } };
  export default theme;
}
declare module "#build/ui/file-upload" {
  const theme: { slots: { root: string; base: string; wrapper: string; icon: string; avatar: string; label: string; description: string; actions: string; files: string; file: string; fileLeadingAvatar: string; fileWrapper: string; fileName: string; fileSize: string; fileTrailingButton: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "area": string; "button": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; layout: { "list": string; "grid": string; }; position: { "inside": string; "outside": string; }; dropzone: { "true": string; }; interactive: { "true": string; }; highlight: { "true": string; }; multiple: { "true": string; }; disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/form" {
  const theme: { slots: {  }; variants: {  } };
  export default theme;
}
declare module "#build/ui/form-field" {
  const theme: { slots: { root: string; wrapper: string; labelWrapper: string; label: string; container: string; description: string; error: string; hint: string; help: string; }; variants: { size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; required: { "true": string; }; orientation: { "vertical": string; "horizontal": string; }; } };
  export default theme;
}
declare module "#build/ui/input" {
  const theme: { slots: { root: string; base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; } };
  export default theme;
}
declare module "#build/ui/input-menu" {
  const theme: { slots: { root: string; base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; trailingClear: string; arrow: string; content: string; viewport: string; group: string; empty: string; label: string; separator: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemLeadingChip: string; itemLeadingChipSize: string; itemTrailing: string; itemTrailingIcon: string; itemWrapper: string; itemLabel: string; itemDescription: string; tagsItem: string; tagsItemText: string; tagsItemDelete: string; tagsItemDeleteIcon: string; tagsInput: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; virtualize: { "true": string; "false": string; }; multiple: { "true": string; "false": string; }; } };
  export default theme;
}
declare module "#build/ui/input-number" {
  const theme: { slots: { root: string; base: string; increment: string; decrement: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; disabled: { "true": string; }; orientation: { "horizontal": string; "vertical": string; }; highlight: { "true": string; }; fixed: { "false": string; }; increment: { "false": string; }; decrement: { "false": string; }; } };
  export default theme;
}
declare module "#build/ui/input-tags" {
  const theme: { slots: { root: string; base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; item: string; itemText: string; itemDelete: string; itemDeleteIcon: string; input: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; } };
  export default theme;
}
declare module "#build/ui/kbd" {
  const theme: { slots: {  }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "solid": string; "outline": string; "soft": string; "subtle": string; }; size: { "sm": string; "md": string; "lg": string; }; } };
  export default theme;
}
declare module "#build/ui/link" {
  const theme: { slots: {  }; variants: { active: { "true": string; "false": string; }; disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/modal" {
  const theme: { slots: { overlay: string; content: string; header: string; wrapper: string; body: string; footer: string; title: string; description: string; close: string; }; variants: { transition: { "true": string; }; fullscreen: { "true": string; "false": string; }; overlay: { "true": string; }; scrollable: { "true": string; "false": string; }; } };
  export default theme;
}
declare module "#build/ui/pagination" {
  const theme: { slots: { root: string; list: string; ellipsis: string; label: string; first: string; prev: string; item: string; next: string; last: string; }; variants: {  } };
  export default theme;
}
declare module "#build/ui/pin-input" {
  const theme: { slots: { root: string; base: string; separator: string; }; variants: { size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; highlight: { "true": string; }; fixed: { "false": string; }; } };
  export default theme;
}
declare module "#build/ui/popover" {
  const theme: { slots: { content: string; arrow: string; }; variants: {  } };
  export default theme;
}
declare module "#build/ui/progress" {
  const theme: { slots: { root: string; base: string; indicator: string; status: string; steps: string; step: string; }; variants: { animation: { "carousel": string; "carousel-inverse": string; "swing": string; "elastic": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "2xs": string; "xs": string; "sm": string; "md": string; "lg": string; "xl": string; "2xl": string; }; step: { "active": string; "first": string; "other": string; "last": string; }; orientation: { "horizontal": string; "vertical": string; }; inverted: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/radio-group" {
  const theme: { slots: { root: string; fieldset: string; legend: string; item: string; container: string; base: string; indicator: string; wrapper: string; label: string; icon: string; description: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "list": string; "card": string; "table": string; }; orientation: { "horizontal": string; "vertical": string; }; indicator: { "start": string; "end": string; "hidden": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; highlight: { "true": string; "false": string; }; disabled: { "true": string; }; required: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/select" {
  const theme: { slots: { base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; value: string; placeholder: string; arrow: string; content: string; viewport: string; group: string; empty: string; label: string; separator: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemLeadingChip: string; itemLeadingChipSize: string; itemTrailing: string; itemTrailingIcon: string; itemWrapper: string; itemLabel: string; itemDescription: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; position: { "popper": string; "item-aligned": string; }; multiple: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/select-menu" {
  const theme: { slots: { base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; value: string; placeholder: string; arrow: string; content: string; viewport: string; group: string; empty: string; label: string; separator: string; item: string; itemLeadingIcon: string; itemLeadingAvatar: string; itemLeadingAvatarSize: string; itemLeadingChip: string; itemLeadingChipSize: string; itemTrailing: string; itemTrailingIcon: string; itemWrapper: string; itemLabel: string; itemDescription: string; input: string; focusScope: string; trailingClear: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; position: { "popper": string; "item-aligned": string; }; multiple: { "true": string; }; virtualize: { "true": string; "false": string; }; } };
  export default theme;
}
declare module "#build/ui/separator" {
  const theme: { slots: { root: string; border: string; container: string; icon: string; avatar: string; avatarSize: string; label: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; orientation: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; position: { "start": string; "center": string; "end": string; }; type: { "solid": string; "dashed": string; "dotted": string; }; } };
  export default theme;
}
declare module "#build/ui/skeleton" {
  const theme: { slots: {  }; variants: {  } };
  export default theme;
}
declare module "#build/ui/slideover" {
  const theme: { slots: { overlay: string; content: string; header: string; wrapper: string; body: string; footer: string; title: string; description: string; close: string; }; variants: { side: { "top": string; "right": string; "bottom": string; "left": string; }; inset: { "true": string; }; transition: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/slider" {
  const theme: { slots: { root: string; track: string; range: string; thumb: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; orientation: { "horizontal": string; "vertical": string; }; disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/stepper" {
  const theme: { slots: { root: string; header: string; item: string; container: string; trigger: string; indicator: string; icon: string; separator: string; wrapper: string; title: string; description: string; content: string; }; variants: { orientation: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; } };
  export default theme;
}
declare module "#build/ui/switch" {
  const theme: { slots: { root: string; base: string; container: string; thumb: string; icon: string; wrapper: string; label: string; description: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; checked: { "true": string; }; unchecked: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; required: { "true": string; }; disabled: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/table" {
  const theme: { slots: { root: string; base: string; caption: string; thead: string; tbody: string; tfoot: string; tr: string; th: string; td: string; separator: string; empty: string; loading: string; }; variants: { pinned: { "true": string; }; sticky: { "true": string; "header": string; "footer": string; }; loading: { "true": string; }; externalScroll: { "true": string; }; loadingAnimation: { "carousel": string; "carousel-inverse": string; "swing": string; "elastic": string; }; loadingColor: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; } };
  export default theme;
}
declare module "#build/ui/tabs" {
  const theme: { slots: { root: string; list: string; indicator: string; trigger: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; label: string; trailingBadge: string; trailingBadgeSize: string; content: string; }; variants: { color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; variant: { "pill": string; "link": string; }; orientation: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; } };
  export default theme;
}
declare module "#build/ui/textarea" {
  const theme: { slots: { root: string; base: string; leading: string; leadingIcon: string; leadingAvatar: string; leadingAvatarSize: string; trailing: string; trailingIcon: string; }; variants: { fieldGroup: { "horizontal": string; "vertical": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; variant: { "outline": string; "soft": string; "subtle": string; "ghost": string; "none": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; leading: { "true": string; }; trailing: { "true": string; }; loading: { "true": string; }; highlight: { "true": string; }; fixed: { "false": string; }; type: { "file": string; }; autoresize: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/timeline" {
  const theme: { slots: { root: string; item: string; container: string; indicator: string; separator: string; wrapper: string; date: string; title: string; description: string; }; variants: { orientation: { "horizontal": string; "vertical": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "3xs": string; "2xs": string; "xs": string; "sm": string; "md": string; "lg": string; "xl": string; "2xl": string; "3xl": string; }; reverse: { "true": string; }; } };
  export default theme;
}
declare module "#build/ui/tooltip" {
  const theme: { slots: { content: string; arrow: string; text: string; kbds: string; kbdsSize: string; }; variants: {  } };
  export default theme;
}
declare module "#build/ui/tree" {
  const theme: { slots: { root: string; item: string; listWithChildren: string; itemWithChildren: string; link: string; linkLeadingIcon: string; linkLabel: string; linkTrailing: string; linkTrailingIcon: string; }; variants: { virtualize: { "true": string; }; color: { "primary": string; "success": string; "warning": string; "error": string; "info": string; "neutral": string; }; size: { "xs": string; "sm": string; "md": string; "lg": string; "xl": string; }; selected: { "true": string; }; disabled: { "true": string; }; } };
  export default theme;
}
