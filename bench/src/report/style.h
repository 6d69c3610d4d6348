// How a report looks: on a light and a dark screen, and on paper.
#pragma once

namespace pollux {

// Colours after Okabe and Ito, which differ for colour-blind people, too; shapes and dashes tell the lines
// apart as well.
inline constexpr const char* report_style = R"css(
:root{--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--grid:#e4e8ec;--box:#f6f8fa;--ok:#1a6d3c;--noisy:#8a5a00;--bad:#b3261e;
--s0:#0072b2;--s1:#c65a00;--s2:#00805f;--s3:#b0578d;--s4:#7a6a00;--s5:#3a86c8;--s6:#7d2b00;--s7:#444b54;
--h0:#e8f1fa;--h1:#bcd7ee;--h2:#84b4dc;--h3:#3f83bd;--h4:#134f86;--hl:#10161c;--hd:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#12161b;--fg:#e6eaef;--soft:#a3adb8;--line:#39424d;--grid:#29313a;--box:#1a2027;--ok:#6fd199;--noisy:#f0b84a;--bad:#ff8a80;
--s0:#56b4e9;--s1:#f0932b;--s2:#35c79a;--s3:#e39cc6;--s4:#e6d94a;--s5:#8ec9ff;--s6:#d98b60;--s7:#c3cad2;
--h0:#1b2a3a;--h1:#24466a;--h2:#2f6aa0;--h3:#6aa6d8;--h4:#bfe0fa;--hl:#fff;--hd:#10161c}}
*{box-sizing:border-box}html{color-scheme:light dark}
body{margin:0 auto;max-width:1000px;padding:24px 16px 64px;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:1.7rem;margin:0 0 .3em}h2{font-size:1.3rem;margin:2.2em 0 .5em;border-bottom:1px solid var(--line);padding-bottom:.2em}h3{font-size:1.05rem;margin:1.6em 0 .4em}
a{color:var(--s0)}a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--s1);outline-offset:2px}
nav ul{padding:0;margin:1em 0;list-style:none;display:flex;flex-wrap:wrap;gap:.4em 1.2em}
.soft{color:var(--soft)}.skip{position:absolute;left:-999em}.skip:focus{position:static}
.scroll{overflow-x:auto;margin:.6em 0}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;min-width:60%}
caption{text-align:left;color:var(--soft);padding:.2em 0;font-size:.86rem}th,td{padding:.25em .7em;text-align:left;border-bottom:1px solid var(--grid);vertical-align:top;overflow-wrap:break-word}
th{border-bottom:2px solid var(--line);white-space:nowrap}.r{text-align:right;white-space:nowrap}
figure{margin:1em 0;overflow-x:auto}svg{max-width:100%;height:auto;display:block}
svg text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:var(--fg)}svg .tick,svg .value{fill:var(--soft);font-size:11px}
.grid{stroke:var(--grid);stroke-width:1}.one{stroke:var(--fg);stroke-width:1.5}.whisker{stroke:var(--fg);stroke-width:1.3}.curve{fill:none;stroke-width:2}
.mark{stroke:var(--bg);stroke-width:.7}.hollow{fill:var(--bg);stroke:var(--fg);stroke-width:1.6}.band{fill:var(--s4);opacity:.22}.bar{opacity:.45}
.curve.s0{stroke:var(--s0)}.curve.s1{stroke:var(--s1);stroke-dasharray:7 3}.curve.s2{stroke:var(--s2);stroke-dasharray:2 3}.curve.s3{stroke:var(--s3);stroke-dasharray:9 3 2 3}
.curve.s4{stroke:var(--s4);stroke-dasharray:12 4}.curve.s5{stroke:var(--s5);stroke-dasharray:4 2}.curve.s6{stroke:var(--s6);stroke-dasharray:1 2}.curve.s7{stroke:var(--s7);stroke-dasharray:6 2 1 2 1 2}
.mark.s0,.bar.s0{fill:var(--s0)}.mark.s1,.bar.s1{fill:var(--s1)}.mark.s2,.bar.s2{fill:var(--s2)}.mark.s3,.bar.s3{fill:var(--s3)}.mark.s4,.bar.s4{fill:var(--s4)}.mark.s5,.bar.s5{fill:var(--s5)}.mark.s6,.bar.s6{fill:var(--s6)}.mark.s7,.bar.s7{fill:var(--s7)}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h-none{fill:none;stroke:var(--line);stroke-dasharray:3 3}
svg .field{fill:var(--hl)}svg .f3,svg .f4{fill:var(--hd)}svg .f-none{fill:var(--soft)}
.box{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.6em 1em;margin:1em 0}.box p{margin:.3em 0}.box h2{margin-top:.2em}
.verdict{font-weight:600}.ok{color:var(--ok)}.noisy{color:var(--noisy)}.invalid{color:var(--bad)}ul.notes{padding-left:1.2em;font-size:.9rem}
summary{cursor:pointer}
@media print{:root{--bg:#fff;--fg:#000;--soft:#444;--line:#999;--grid:#ddd;--box:#fff;--ok:#1a6d3c;--noisy:#8a5a00;--bad:#b3261e;--s0:#0072b2;--s1:#c65a00;--s2:#00805f;--s3:#b0578d;--s4:#7a6a00;--s5:#3a86c8;--s6:#7d2b00;--s7:#444b54;--h0:#e8f1fa;--h1:#bcd7ee;--h2:#84b4dc;--h3:#3f83bd;--h4:#134f86;--hl:#10161c;--hd:#fff}
html{color-scheme:light}body{max-width:none;padding:0;font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}nav,.skip,.download{display:none}.scroll,figure{overflow:visible}table{font-size:7.5pt;width:100%}th{white-space:normal}.r{white-space:normal}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}thead{display:table-header-group}}
)css";

}  // namespace pollux
