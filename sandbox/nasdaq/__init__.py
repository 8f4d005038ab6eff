"""Nasdaq's company news service: releases and flagging notifications of Finnish and Swedish issuers."""
