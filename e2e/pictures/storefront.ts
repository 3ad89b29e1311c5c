/** A page such as a dev server shows, for pictures and for clicks. */
export const storefront = `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Storefront</title>
<style>
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fbfaf7 }
  header { display: flex; gap: 24px; align-items: center; padding: 16px 32px; background: #123c33; color: #fff }
  header b { font-size: 20px; flex: 1 } main { padding: 32px; max-width: 1100px; margin: auto }
  h1 { font-size: 34px; margin: 0 0 8px } .grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 20px; margin-top: 24px }
  article { background: #fff; border: 1px solid #e4dfd4; border-radius: 12px; padding: 16px }
  .shot { height: 130px; border-radius: 8px; background: linear-gradient(135deg, #e7d9b8, #b9cdbf) }
  button { font: inherit; padding: 8px 14px; border: 0; border-radius: 8px; background: #d9602b; color: #fff }
  form { display: flex; gap: 8px; margin-top: 16px } input { font: inherit; padding: 8px; border: 1px solid #cbc4b4; border-radius: 8px }
</style>
<header><b>Larch &amp; Linen</b><span>Shop</span><span>Journal</span><span data-testid="cart">Cart (0)</span></header>
<main>
  <h1>New for winter</h1>
  <p>Six pieces, made in small runs.</p>
  <form><input name="search" aria-label="Search" placeholder="Search the shop" /><button type="button" data-testid="add">Add to cart</button></form>
  <div class="grid">
    <article><div class="shot"></div><h3>Wool throw</h3><p>€ 120</p></article>
    <article><div class="shot"></div><h3>Oak stool</h3><p>€ 210</p></article>
    <article><div class="shot"></div><h3>Linen shirt</h3><p>€ 95</p></article>
    <article><div class="shot"></div><h3>Tea bowl</h3><p>€ 38</p></article>
  </div>
</main>
<script>
  let count = 0;
  document.querySelector("[data-testid=add]").onclick = () => {
    document.querySelector("[data-testid=cart]").textContent = "Cart (" + ++count + ")";
    document.body.style.background = count % 2 ? "#ffe2cf" : "#fbfaf7";
  };
</script>
</html>`;
