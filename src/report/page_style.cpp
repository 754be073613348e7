// The style sheet of a report page: light and dark, dense, figures in line, readable in print.
#include "report/page_assets.h"

namespace pitot::report::page {

std::string_view page_style() {
  return R"css(
:root{color-scheme:light;--bg:#fff;--fg:#1b1f24;--soft:#626973;--faint:#8b929c;--line:#dfe2e7;--rule:#c7ccd3;
--head:#f6f7f9;--hover:#f2f5f9;--link:#1f5fae;--accent:#3b6fb6;--good:#1d7a48;--goodbg:#e5f4ea;--goodbar:#5fa777;
--bad:#b4262c;--badbg:#fcebec;--badbar:#cf6a6e;--warn:#84590a;--warnbg:#fbf1d9;--warnbar:#cf9f44;--note:#1f5fae;
--notebg:#e9f1fb;--notebar:#6f9bd1;--softbar:#b3b9c2}
:root[data-theme=dark]{color-scheme:dark;--bg:#14161a;--fg:#e3e6ea;--soft:#9aa1ab;--faint:#767d88;--line:#2a2e35;
--rule:#3c424b;--head:#1b1e23;--hover:#1e2229;--link:#7fb0ee;--accent:#7ba6de;--good:#74c796;--goodbg:#17301f;
--goodbar:#4f9468;--bad:#f08a8e;--badbg:#3a1c1f;--badbar:#b9575c;--warn:#e0b45e;--warnbg:#33280f;--warnbar:#a9823a;
--note:#8bb8f0;--notebg:#16273d;--notebar:#4d79b0;--softbar:#565d68}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;--bg:#14161a;--fg:#e3e6ea;
--soft:#9aa1ab;--faint:#767d88;--line:#2a2e35;--rule:#3c424b;--head:#1b1e23;--hover:#1e2229;--link:#7fb0ee;
--accent:#7ba6de;--good:#74c796;--goodbg:#17301f;--goodbar:#4f9468;--bad:#f08a8e;--badbg:#3a1c1f;--badbar:#b9575c;
--warn:#e0b45e;--warnbg:#33280f;--warnbar:#a9823a;--note:#8bb8f0;--notebg:#16273d;--notebar:#4d79b0;--softbar:#565d68}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--fg);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue","Liberation Sans",Arial,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}main:focus{outline:0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.3rem .6rem;z-index:9}
h1,h2,h3,p{margin:0}h1{font-size:1.2rem;font-weight:650;letter-spacing:-.01em}
h2{font-size:1.15rem;font-weight:650;letter-spacing:-.01em;display:inline}
h3{font-size:.86rem;font-weight:650}
.soft,small{color:var(--soft)}small{font-size:.86em}
code,.c,.s,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{font-size:.9em}
.top{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.8rem 1.5rem;
border-bottom:1px solid var(--line)}
#tools button{font:inherit;font-size:.86rem;color:var(--soft);background:none;border:1px solid var(--line);
border-radius:5px;padding:.15rem .6rem;cursor:pointer}#tools button:hover{color:var(--fg);border-color:var(--rule)}
.frame{display:grid;grid-template-columns:13.5rem minmax(0,1fr);max-width:100rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1.4rem .5rem 1rem 1.5rem}
nav ol{list-style:none;margin:0;padding:0}nav li{padding:.3rem 0 .45rem;line-height:1.35}
nav small{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
main{padding:0 1.5rem 2rem}
section{padding:1.4rem 0 1.8rem;border-bottom:1px solid var(--line)}section:last-child{border:0}
section>header{margin-bottom:.9rem}section>header p{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.tag{display:inline-block;padding:0 .45em;border-radius:3px;font-size:.8rem;line-height:1.45;font-weight:600;
white-space:nowrap}h2+.tag{font-size:.88rem;vertical-align:2px;margin-left:.4rem}nav .tag{font-size:.7rem}
.tag.good{color:var(--good);background:var(--goodbg)}.tag.bad{color:var(--bad);background:var(--badbg)}
.tag.warn{color:var(--warn);background:var(--warnbg)}.tag.note{color:var(--note);background:var(--notebg)}
.tag.soft{background:var(--head)}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:0 0 1.1rem}.facts div{max-width:36rem}
.facts dt{color:var(--soft);font-size:.78rem;line-height:1.3}
.facts dd{margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.block{margin:1.1rem 0}.block>h3,summary{margin-bottom:.35rem}.about{color:var(--soft);font-size:.84rem;margin-bottom:.4rem}
summary{cursor:pointer;color:var(--fg)}summary h3{display:inline}
.scroll{overflow:auto;border:1px solid var(--line);border-radius:5px;max-width:max-content}
.scroll.long{max-height:34rem}.scroll.long:has(.source){max-height:46rem}
table{border-collapse:separate;border-spacing:0;font-size:.86rem;line-height:1.4;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.26rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
tbody tr:last-child>*{border-bottom:0}
thead th{position:sticky;top:0;z-index:1;background:var(--head);color:var(--soft);font-size:.78rem;font-weight:600;
white-space:nowrap;border-bottom-color:var(--rule);vertical-align:bottom}
tbody tr:hover>*{background:var(--hover)}
th.n,td.n{text-align:right;white-space:nowrap}td.c,th.c{font-size:.8rem;max-width:26rem}.k{white-space:nowrap}
td:not(.n):not(.c):not(.s){max-width:34rem;overflow-wrap:break-word}td.b{max-width:17rem}
td small{font-size:.8rem}td.n small{display:inline-block;margin-left:.5em;color:var(--soft);text-align:left}
td.c small,th.c small,td:not(.n)>small{display:block;white-space:pre-line}
td.s{white-space:pre;font-size:.8rem}
td.good{color:var(--good)}td.bad{color:var(--bad)}td.warn{color:var(--warn)}td.soft{color:var(--soft)}
tr.bad>td{background:var(--badbg)}tr.warn>td{background:var(--warnbg)}tr.note>*{background:var(--notebg)}
tr.hot>td{background:var(--badbg);font-weight:600}tr.hot>td:first-child{box-shadow:inset 3px 0 var(--badbar)}
table.source td{border-bottom:0;padding-top:.05rem;padding-bottom:.05rem}
.bar{display:flex;gap:1px;max-width:15rem;height:.6rem;min-width:7rem;margin:.28rem 0;border-radius:2px;overflow:hidden}
.bar i{display:block;min-width:2px;background:var(--notebar)}.bar .good{background:var(--goodbar)}
.bar .bad{background:var(--badbar)}.bar .warn{background:var(--warnbar)}.bar .soft{background:var(--softbar)}
table.source .bar{margin:.32rem 0;min-width:4.5rem}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
th button:hover{color:var(--fg)}
th button::after{content:"↕";display:inline-block;width:1em;text-align:right;opacity:.28;font-size:.9em}
th[aria-sort=ascending] button::after{content:"↑";opacity:1}
th[aria-sort=descending] button::after{content:"↓";opacity:1}
.filter{display:flex;gap:.7rem;align-items:center;margin-bottom:.4rem;font-size:.84rem;color:var(--soft)}
.filter input{font:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--rule);border-radius:4px;
padding:.12rem .5rem;width:15rem}
.notes{margin:1rem 0;padding:.55rem .9rem;border-left:3px solid var(--rule);background:var(--head);font-size:.88rem;
overflow-wrap:anywhere}.notes ul{margin:.2rem 0;padding-left:1.1rem}
.notes.bad{border-color:var(--badbar)}.notes.warn{border-color:var(--warnbar)}.notes.note{border-color:var(--notebar)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr));gap:1.2rem 2rem;margin:1.2rem 0}
.chart{margin:0;min-width:0;max-width:52rem}.chart figcaption{font-size:.86rem;font-weight:650;margin-bottom:.3rem}
.plot{position:relative}
footer{padding:.9rem 1.5rem 1.5rem;border-top:1px solid var(--line);color:var(--soft);font-size:.8rem}
footer pre{white-space:pre-wrap;font-size:.74rem}
@media(max-width:60rem){.frame{display:block}nav{position:static;padding:1rem 1.5rem 0;max-height:none}
nav ol{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem}.top,main,footer{padding-left:1rem;padding-right:1rem}}
@media print{nav,#tools,.filter,.skip{display:none}.frame{display:block}.scroll,.scroll.long{max-height:none;overflow:visible}
thead th{position:static}section{break-inside:auto}.chart{break-inside:avoid}}
)css";
}

}  // namespace pitot::report::page
