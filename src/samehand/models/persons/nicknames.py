"""Nicknames: given names that are commonly used for one another, each group a line of English usage."""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.models.persons.layout import Ints

GROUPS = """
abraham abe abram
albert al bert
alexander alex alec sasha
alexandra sandra sasha
alfred fred alf
andrew andy drew
anthony antony tony
arthur art
barbara barb
benjamin ben benny
bernard bernie
catherine katherine kathryn cathy kathy kate katie
charles charlie chuck
christina christine tina
christopher chris
clifford cliff
daniel dan danny
david dave
deborah debbie debra
dennis denis
donald don
dorothy dot
edmund ed eddie ned
edward ed eddie ted
eleanor ellie
elizabeth liz beth betty lisa
eugene gene
frances fran
francis frank
franklin frank
frederick fred freddy
gabriel gabe
gerald gerry jerry
geoffrey jeffrey geoff jeff
gregory greg
harold harry hal
henry harry hank
herbert herb bert
howard howie
isaac ike
jacob jake
jacqueline jackie
james jim jimmy jamie
janet jan
jennifer jen jenny
jeremy jerry
jessica jess
john jack johnny jon
jonathan jon
joseph joe joey
joshua josh
judith judy
kenneth ken kenny
kimberly kim
lawrence laurence larry
leonard len leo
louis lewis lou
margaret maggie peggy meg greta
martin marty
matthew matt
michael mike mick mischa
mitchell mitch
nathaniel nathan nate nat
nicholas nick nicolas klaus
norman norm
pamela pam
patricia pat patty
patrick pat
paul pavel
peter pete pyotr
philip phillip phil
rachel rae
raymond ray
rebecca becky
reginald reg
richard dick rick rich richie
robert bob rob bert bobby robin
roger rodger
ronald ron
russell russ
samuel sam sammy
sebastian bastian
sidney sid
solomon sol
stanley stan
stephen steven steve
stuart stewart
suzanne susan sue susanne
terence terry
theodore ted theo
theresa teresa terry tess
thomas tom tommy
timothy tim
veronica ronnie
victor vic
victoria vicky
vincent vince
virginia ginny
walter walt
wilfred fred
william bill will willy liam
zachary zack
"""


def nickname_groups(words: pl.Series) -> Ints:
    """The number of each word's group, -1 if it has none; a nickname of several names goes with the first that has it.

    >>> bob, robert, ada = nickname_groups(pl.Series(["bob", "robert", "ada"])).tolist()
    >>> bob == robert, ada
    (True, -1)
    """
    group: dict[str, int] = {}
    for number, line in enumerate(GROUPS.split("\n")[1:-1]):
        for name in line.split():
            group.setdefault(name, number)
    return np.array([group.get(word, -1) for word in words], np.int32)
